#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Where modules are looked for, in which order, who said so, and what was found
# there.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

maintained=${KCAPSULE_MODULE_PATH:-${KC_MODULE_DIR:-}}
[ -d "$maintained" ] || skip_all "no maintained modules"
mkdir -m 755 "$tmp/a" "$tmp/b" "$tmp/empty"
cp "$mocks/good.so" "$tmp/a/"
cp "$mocks/other_provider.so" "$tmp/b/"
cd / || exit 99

# searched: the lines about folders.
searched() { sed -n '/^searched/,$p' "$out" | tail -n +2; }

runs "from the root folder" 0 "$KCAPSULE" modules --verbose
contains "the maintained modules are found" "$(cat "$out")" "reference 0"
if [ -z "${KCAPSULE_MODULE_PATH:-}" ]; then
    is "in the built-in folder" "$(searched)" "  $maintained (built-in): 4 files"
fi

export KCAPSULE_MODULE_PATH=$tmp/a:$maintained:$tmp/none
runs "a missing folder" 0 "$KCAPSULE" modules --verbose --module-path "$tmp/b"
is "all folders in order" "$(searched)" \
    "  $tmp/b (option): 1 file
  $tmp/a (KCAPSULE_MODULE_PATH): 1 file
  $maintained (KCAPSULE_MODULE_PATH): 4 files
  $tmp/none (KCAPSULE_MODULE_PATH): 0 files, does not exist"
contains "is a warning" "$(cat "$err")" "warning: module folder $tmp/none"
for name in acme zenith reference; do
    contains "$name is found" "$(cat "$out")" "$name "
done
prints "a plan still succeeds" 0 "checked_cpu: reference.relu" \
    env KCAPSULE_MODULE_PATH="$maintained" "$KCAPSULE" plan -p checked_cpu \
    --names relu

export KCAPSULE_MODULE_PATH=$tmp/empty
runs "an empty folder" 0 "$KCAPSULE" modules --verbose
is "is listed with nothing" "$(searched)" \
    "  $tmp/empty (KCAPSULE_MODULE_PATH): 0 files"
runs "an operation without any module" 2 "$KCAPSULE" plan -p checked_cpu relu
contains "is an error that says where was looked" \
    "$(grep -v warning "$err")" "(searched: $tmp/empty)"

export KCAPSULE_MODULE_PATH=relative::$maintained
runs "a relative and an empty component" 0 "$KCAPSULE" modules --verbose
is "are not searched" "$(searched)" \
    "  $maintained (KCAPSULE_MODULE_PATH): 4 files"
contains "a relative one is a warning" "$(cat "$err")" '`relative`'
contains "an empty one too" "$(cat "$err")" "empty component"

unset KCAPSULE_MODULE_PATH
KCAPSULE_ADD_MODULE_PATH=$tmp/a runs "an additional folder" 0 \
    "$KCAPSULE" modules --verbose
is "comes first" "$(searched | head -n 1)" \
    "  $tmp/a (KCAPSULE_ADD_MODULE_PATH): 1 file"
is "and the built-in one stays" "$(searched | grep -c '(built-in)')" 1
export KCAPSULE_MODULE_PATH=
runs "set but empty" 0 "$KCAPSULE" modules --verbose
contains "is unset" "$(searched)" "(built-in)"

# The same file by two names is one module; the current folder is no place.
export KCAPSULE_MODULE_PATH=$tmp/a:$tmp/c
mkdir -m 755 "$tmp/c"
ln "$tmp/a/good.so" "$tmp/c/again.so"
runs "one file by two names" 0 "$KCAPSULE" modules
is "is one module" "$(grep -c '^acme' "$out"), $(tail -n 1 "$out")" \
    "1, 1 module, 0 refused"
runs "and with all there is to say" 0 "$KCAPSULE" modules --verbose
contains "the second name is said" "$(cat "$out")" \
    "$tmp/c/again.so: same file as $tmp/a/good.so"
contains "so that the counts agree" "$(cat "$out")" \
    "1 module, 0 refused, 1 listed before"
runs "as JSON" 0 "$KCAPSULE" modules --format json
contains "too" "$(cat "$out")" "\"entry\": \"$tmp/c/again.so\""
mkdir -m 755 "$tmp/links" "$tmp/targets"
cp "$tmp/b"/*.so "$tmp/targets/other"
printf 'not a module' >"$tmp/targets/bad"
ln -s ../targets/other "$tmp/links/linked.so"
ln -s ../targets/bad "$tmp/links/reference.so"
export KCAPSULE_MODULE_PATH=$tmp/links
runs "a link" 0 "$KCAPSULE" modules
contains "has its own name and its target's" "$(cat "$out")" \
    "$tmp/links/linked.so -> $tmp/targets/other"
contains "also when it is refused" "$(cat "$out")" \
    "refused: $tmp/links/reference.so -> $tmp/targets/bad: "
run "$KCAPSULE" plan -p checked_cpu relu
contains "and is known to a profile" "$(cat "$err")" \
    'without module `reference`, which is refused: '

# Without descriptors nothing can be said of any module.
for command in "modules" "inspect reference" "plan -p checked_cpu relu"; do
    name="no descriptors: $command"
    read -ra words <<<"$command"
    status=0
    (ulimit -n 6 && export KCAPSULE_MODULE_PATH=$maintained &&
        exec "$KCAPSULE" "${words[@]}") >"$out" 2>"$err" </dev/null ||
        status=$?
    is "$name" "$status, $(cat "$out")" "2, "
    contains "$name: the reason" "$(cat "$err")" "Too many open files"
done
export KCAPSULE_MODULE_PATH=$tmp/a:$tmp/c
cd "$tmp/b" || exit 99
runs "in a folder with a module" 0 "$KCAPSULE" modules
is "nothing is looked for there" "$(grep -c zenith "$out")" 0

# Profiles have a path of their own.
mkdir "$tmp/profiles"
printf '[profile]\nextends = checked_cpu\n' >"$tmp/profiles/mine.ini"
export KCAPSULE_MODULE_PATH=$maintained KCAPSULE_PROFILE_PATH=$tmp/profiles
prints "a profile on the path" 0 "mine: reference.relu" \
    "$KCAPSULE" plan -p mine --names relu
runs "is listed" 0 "$KCAPSULE" profiles
contains "with its file" "$(cat "$out")" "mine: $tmp/profiles/mine.ini"

# What is typed is the name of the file, and the listing says when it leads
# elsewhere.
mkdir "$tmp/later"
cp "$tmp/profiles/mine.ini" "$tmp/later/mine.ini"
printf '[profile]\nname = upper\n' >"$tmp/profiles/Up.ini"
printf '[profile]\n' >"$tmp/profiles/Bare.ini"
printf '[profile]\nname = other\n' >"$tmp/profiles/checked_cpu.ini"
printf '[profile]\nname = twice\n' >"$tmp/profiles/a.ini.ini"
export KCAPSULE_PROFILE_PATH=$tmp/profiles:$tmp/later
prints "a file with capitals" 0 "upper: reference.relu" \
    "$KCAPSULE" plan -p Up --names relu
run "$KCAPSULE" plan -p Bare relu
contains "without a name it says what it lacks" "$(cat "$err")" \
    'expected a name in section [profile], because `Bare` is none'
printf '[profile]\nname = aside\nextends = ../later/mine\n' >"$tmp/aside.ini"
refused "a name does not lead out of the folders" \
    'extends: unknown profile `../later/mine`' plan -p "$tmp/aside.ini" relu
runs "the listing" 0 "$KCAPSULE" profiles
contains "names what is typed" "$(cat "$out")" \
    "Up: $tmp/profiles/Up.ini, named upper"
contains "what is shadowed" "$(cat "$out")" "checked_cpu: \
$tmp/profiles/checked_cpu.ini, shadowed by the maintained profile, named other"
contains "what comes later" "$(cat "$out")" \
    "mine: $tmp/later/mine.ini, not reachable by name: a folder before has one"
contains "and what looks like a file" "$(cat "$out")" \
    "a.ini: $tmp/profiles/a.ini.ini, not reachable by name"
runs "as JSON" 0 "$KCAPSULE" profiles --format json
is "only the others can be typed" \
    "$(sed -n 's/.*"typed": "\(.*\)".*/\1/p' "$out" | grep -v _c | tr '\n' ' ')" \
    "libtorch_forward_strict Bare Up mine "
finish
