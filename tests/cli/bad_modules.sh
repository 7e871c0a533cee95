#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# One broken module costs only itself: listed once with its own reason, an error
# when it is named, never a signal.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
mkdir -m 755 modules
"$KC_BUILDDIR/tests/mocks/make_bad_files" "$mocks/good.so" modules ||
    skip_all "the bad files could not be made"
rm -f modules/unreadable.so
cp "$mocks/good.so" modules/
{ npy "(4,)"; floats 1 -1 0 2; } >x.npy
for mock in no_symbol no_note two_notes wrong_major short_record zero_size \
    absurd_size duplicate_identity unterminated_string unknown_operation; do
    cp "$mocks/$mock.so" modules/
done

runs "a folder of bad files" 0 "$KCAPSULE" modules --module-path modules
contains "the good one is listed" "$(cat "$out")" "acme 1.0: 1 capsule"
cp "$out" listing
for file in modules/*.so; do
    file=${file#modules/}
    [ "$file" != good.so ] || continue
    is "$file is refused, once" \
        "$(grep -c "^refused: .*/modules/$file: ." listing)" 1
    run "$KCAPSULE" inspect "modules/$file"
    is "$file, named, is an error" "$status, $(wc -l <"$err")" "2, 1"
    contains "$file, named, is named" "$(cat "$err")" "$file"
    run "$KCAPSULE" plan -p checked_cpu --module "modules/$file" relu
    is "$file, to be prepended, is an error" "$status" 2
done
cat >acme.ini <<'TEXT'
[profile]
name = acme_cpu
extends = checked_cpu
provider = prefer:acme
[availability]
providers = acme, reference
[modules]
prepend = acme
TEXT
runs "the good one works among them" 0 "$KCAPSULE" run -p acme.ini \
    --module-path modules --graph "$chain" --input x=x.npy
contains "and is what ran" "$(cat "$out")" "acme.relu"

# Versions and sizes: what may differ and what may not.
run "$KCAPSULE" inspect "$mocks/wrong_major.so"
contains "another major version: this host's" "$(cat "$err")" "1.0"
contains "another major version: the module's" "$(cat "$err")" "2.0"
for mock in long_record short_entry newer_minor; do
    runs "$mock is accepted" 0 "$KCAPSULE" inspect "$mocks/$mock.so"
    rm -rf one
    mkdir -m 755 one
    cp "$mocks/$mock.so" one/
    sed "s/= acme$/= $mock/" acme.ini >one.ini
    runs "$mock works" 0 "$KCAPSULE" run -p one.ini --module-path one \
        --graph "$chain" --input x=x.npy
    contains "$mock is what ran" "$(cat "$out")" "$mock.relu"
done
run "$KCAPSULE" inspect "$mocks/zero_size.so"
contains "a size of 0" "$(cat "$err")" "found 0"
run "$KCAPSULE" inspect "$mocks/absurd_size.so"
contains "a size of 4 GB" "$(cat "$err")" "found 4294967"

# Two modules for one operation are legal; two of one identity are not, nor two
# files of one name on the search path.
mkdir -m 755 two
cp "$mocks/good.so" "$mocks/other_provider.so" two/
sed 's/providers = .*/providers = acme, zenith, reference/
    s/prefer:acme/auto/; s/prepend = .*/prepend = zenith, acme/' acme.ini >two.ini
prints "two providers of relu: the first in the order of the profile" 0 \
    "acme_cpu: zenith.relu" \
    "$KCAPSULE" plan -p two.ini --module-path two --names relu
prints "in either order of the folder" 0 "acme_cpu: zenith.relu" \
    "$KCAPSULE" plan -p two.ini --module "$mocks/other_provider.so" \
    --module "$mocks/good.so" --module-path two --names relu
fails "two capsules of one identity" 2 \
    "duplicate kernel capsule \`acme.same_relu\` for op relu, provider acme, device cpu: modules \`same_identity_a\` ($mocks/same_identity_a.so) and \`same_identity_b\` ($mocks/same_identity_b.so)" \
    "$KCAPSULE" plan -p checked_cpu --module "$mocks/same_identity_a.so" \
    --module "$mocks/same_identity_b.so" relu
mkdir -m 755 first second
cp "$mocks/good.so" first/one.so
cp "$mocks/good.so" second/two.so
runs "two files of one module name" 0 "$KCAPSULE" modules --module-path first \
    --module-path second
line=$(grep '^refused' "$out")
contains "the second is refused" "$line" "second/two.so"
contains "naming the first" "$line" "first/one.so"

# Repairs are seen: nothing is remembered of a failure.
rm modules/no_note.so
cp "$mocks/other_provider.so" modules/no_note.so
run "$KCAPSULE" modules --module-path modules
contains "a repaired module is seen" "$(cat "$out")" "zenith 1.0"

# As another user, since root may read everything.
chmod 755 "$tmp" modules
as_other=()
if [ "$(id -u)" -eq 0 ]; then
    as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
mkdir -m 755 unreadable
cp "$mocks/good.so" unreadable/
chmod 0 unreadable/good.so
if "${as_other[@]}" "$KCAPSULE" --version >/dev/null 2>&1; then
    runs "an unreadable file" 0 "${as_other[@]}" "$KCAPSULE" modules \
        --module-path unreadable
    contains "is refused" "$(cat "$out")" "good.so: cannot be opened"
else
    skip "an unreadable file" "no other user can run the command here"
fi
finish
