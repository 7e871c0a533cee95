#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Results never replace what the run reads, never meet in one file, and are
# there all or none.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
mkdir r
{ npy "(4,)"; floats 1 -1 0 2; } >r/x.npy
cp "$chain" graph.json
cp "$digits/digits_mlp.safetensors" w.safetensors
printf '[profile]\nextends = checked_cpu\n' >p.ini
cp "$mocks/good.so" good.so
ln -s r link
ln -s r/x.npy x_link.npy
sha256sum r/x.npy graph.json w.safetensors p.ini good.so >before
run_it=(run -p p.ini --graph graph.json --input x=r/x.npy
    --weights w.safetensors --module good.so)

for path in r/x.npy ./r/../r/x.npy link/x.npy x_link.npy "$tmp/r/x.npy"; do
    refused "--output over an input: $path" "$path, the file of --input x" \
        "${run_it[@]}" --output y="$path"
done
refused "--record over the graph" "./graph.json, the file of --graph" \
    "${run_it[@]}" --record ./graph.json
refused "over the weights" "the file of --weights" \
    "${run_it[@]}" --record w.safetensors
refused "over the profile" "the file of --profile" \
    "${run_it[@]}" --record ./p.ini
refused "over a module" "the file of --module" "${run_it[@]}" --record good.so
mkdir -m 755 modules
cp "$mocks/other_provider.so" modules/zenith.so
refused "over a module of the search path" "a module of the search path" \
    "${run_it[@]}" --module-path modules --record modules/zenith.so
KCAPSULE_PROFILE_PATH=$tmp refused "over a profile on the path" \
    "the file of --profile" run -p p --graph graph.json --input x=r/x.npy \
    --record p.ini
graph '{"id": 0, "op": "input", "shape": [4, 2], "name": "x"},
{"id": 1, "op": "detach", "parents": [0], "shape": [4, 2]}' 1 >rows.json
{ npy "(4, 2)"; floats 1 1 1 1 1 1 1 1; } >rows.npy
{ npy "(4,)" "<i4"; floats 0 0 0 0; } >labels.npy
refused "over labels" "the file of --labels y" run -p checked_cpu \
    --graph rows.json --input x=rows.npy --labels y=labels.npy \
    --output y=labels.npy
check "nothing was changed" sha256sum --quiet -c before

refused "two results of one name to be" "two results go to one file" \
    "${run_it[@]}" --output y=r/../r/q.npy --record r/q.npy
refused "through a linked folder" "two results go to one file" \
    "${run_it[@]}" --output y=link/q.npy --record r/q.npy
echo old >r/old
ln -s r/old old_link
refused "two names of one file" "two results go to one file" \
    "${run_it[@]}" --output y=old_link --record r/old
refused "a result that is a folder" "--output y: expected a file to write" \
    "${run_it[@]}" --output y=r
refused "a record that is a folder" "--record: expected a file to write" \
    "${run_it[@]}" --record r/
refused "a record without a name" "--record: expected FILE, found \`\`" \
    "${run_it[@]}" --record ""
refused "a name that ends in a slash" "there is no such folder" \
    "${run_it[@]}" --output y=none/q.npy
is "nothing was written" "$(find . -newer before -name 'q*')" ""

# left NAME: no result and no temporary file.
left() { is "$1" "$(find . -name 'q.npy' -o -name '.kcapsule-*')" ""; }
run_it=(run -p p.ini --graph graph.json --input x=r/x.npy)
if [ -w /dev/full ]; then
    ends 3 "a record on a full disk" /dev/full "${run_it[@]}" \
        --output y=q.npy --record /dev/full
    left "takes the output along"
    ends 3 "an output on a full disk" /dev/full run -p checked_cpu \
        --graph graph.json --input x=r/x.npy --output y=/dev/full \
        --record q.npy
    left "takes the record along"
else
    skip "a full disk" "no /dev/full"
fi
run "$KCAPSULE" "${run_it[@]}" --output y=r/old --record /dev/null
is "a result replaces a file" "$status, $(head -c 6 r/old | tail -c 5)" \
    "0, NUMPY"
runs "a result on a device has no hash" 0 "$KCAPSULE" "${run_it[@]}" \
    --output y=/dev/null --record r.json
contains "and is in the record" "$(grep -A4 '"role": "output"' r.json)" \
    '"file": "/dev/null"'
chmod 600 r/old
run "$KCAPSULE" "${run_it[@]}" --output y=old_link
is "a link stays, and so does the mode" "$status, $(readlink old_link), $(
    stat -c %a r/old)" "0, r/old, 600"
left "no temporary file is left"

# What a third party needs to run it again.
graph '{"id": 0, "op": "input", "shape": ["N", 2], "name": "x"},
{"id": 1, "op": "relu", "parents": [0], "shape": ["N", 2]}' 1 >named.json
for mode in eager graph; do
    runs "a graph with a named extent, $mode" 0 "$KCAPSULE" run -p checked_cpu \
        --graph named.json --input x=rows.npy --mode $mode --record $mode.json
    contains "the record has its value" "$(tr -d ' \n' <$mode.json)" \
        '"bind":{"N":4}'
done
is "eager mode has no buffers" "$(grep -c '"reuse"' eager.json)" 0
contains "graph mode says that they share memory" "$(cat graph.json)" \
    '"reuse": true'
runs "--no-reuse" 0 "$KCAPSULE" run -p checked_cpu --graph named.json \
    --input x=rows.npy --mode graph --no-reuse --record apart.json
contains "is in the record" "$(cat apart.json)" '"reuse": false'
finish
