#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# A profile file is applied completely or not at all: what is wrong is an error
# that names file and line, and a broken trust line never means more trust.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

cd "$tmp" || exit 99
libtorch=scaled_dot_product_attention

# wrong NAME PLACE-AND-PART LINE...: a profile file with these lines after
# [profile] and extends.
wrong()
{
    local name=$1 part=$2
    shift 2
    printf '%s\n' "[profile]" "extends = libtorch_forward_strict" "$@" >p.ini
    refused "$name" "$part" plan -p p.ini --names $libtorch
}

printf '%s\n' "[profile]" "name = whole" "extends = libtorch_forward_strict" \
    "assurance = external" "provider = prefer:libtorch" >p.ini
prints "a good profile" 0 "whole: libtorch.sdpa_forward" \
    "$KCAPSULE" plan -p p.ini --names $libtorch
sed 's/$/\r/' p.ini >crlf.ini
prints "the same with CRLF" 0 "whole: libtorch.sdpa_forward" \
    "$KCAPSULE" plan -p crlf.ini --names $libtorch

wrong "an unknown key" 'p.ini:3: unknown key `asurance`' \
    "asurance = external" "provider = prefer:libtorch"
wrong "an unknown value" "p.ini:3: assurance" \
    "assurance = everything" "provider = prefer:libtorch"
wrong "an empty value" "p.ini:3:" "assurance =" "provider = prefer:libtorch"
wrong "an unknown provider" 'p.ini:4: provider label `nobody`' \
    "assurance = external" "provider = prefer:nobody"
wrong "a double key" "p.ini:4: key \`assurance\`" \
    "assurance = checked" "assurance = external"
wrong "an unknown section" "p.ini:3:" "[proflie]" "assurance = external"
wrong "a line that is no setting" 'p.ini:3: expected `key = value`' \
    "assurance external"
wrong "a file that ends in the middle of a line" "p.ini:3:" "assurance = exter"
wrong "a file that ends in the middle of a section" "p.ini:3:" "[availab"
wrong "an unknown device" "p.ini:3:" "device = gpu"
wrong "an unknown VJP mode" "p.ini:3:" "vjp = all"
wrong "a switch that is neither" "p.ini:4:" "[numerics]" "tf32 = maybe"
wrong "no threads" "p.ini:4:" "[execution]" "threads = 0"
wrong "too many threads" "p.ini:4:" "[execution]" "threads = 99999999999"
wrong "a module that is not there" "p.ini:4:" "[modules]" "prepend = nobody"

printf '[profile]\nextends = nobody\n' >p.ini
refused "what it extends is missing" "p.ini:2: extends" plan -p p.ini relu
printf '[profile]\nextends = ./p.ini\n' >p.ini
refused "it extends itself" "p.ini" plan -p p.ini relu
printf 'extends = checked_cpu\n' >p.ini
refused "text before a section" "p.ini:1" plan -p p.ini relu
printf '[profile]\nname = checked_cpu\nassurance = external\n' >p.ini
refused "the name of a maintained profile" \
    'p.ini:2: profile name `checked_cpu`: expected another' plan -p p.ini relu
printf '[profile]\nassurance = external\n' >checked_cpu.ini
refused "the same by the name of the file" \
    'because `checked_cpu` is a maintained profile' \
    plan -p ./checked_cpu.ini relu
: >p.ini
refused "an empty file" "p.ini: expected a [profile] section" plan -p p.ini relu
printf '[execution]\nthreads = 2\n' >p.ini
refused "a file without [profile]" "p.ini: expected a [profile] section" \
    plan -p p.ini relu
printf '[profile]\n' >p.ini
prints "the section may be empty" 0 "p: reference.relu" \
    "$KCAPSULE" plan -p p.ini --names relu
printf '[profile]\nname = a\000b\n' >p.ini
refused "a NUL byte" "p.ini" plan -p p.ini relu
head -c 100000 /dev/zero | tr '\0' '[' >p.ini
refused "a hundred thousand brackets" "p.ini:1" plan -p p.ini relu
refused "a file that is not there" "none.ini" plan -p none.ini relu
refused "a folder" "$tmp" plan -p "$tmp/" relu
mkfifo fifo.ini
refused "a FIFO does not hang" "fifo.ini" plan -p fifo.ini relu

# One bad file is a line of the listing.
mkdir profiles
printf '[profile]\nassurance = everything\n' >profiles/bad.ini
KCAPSULE_PROFILE_PATH=$tmp/profiles runs "listing a bad profile" 0 \
    "$KCAPSULE" profiles
contains "names file, line and reason" "$(cat "$out")" \
    "bad.ini: does not load: $tmp/profiles/bad.ini:2: assurance"
KCAPSULE_PROFILE_PATH=$tmp/profiles runs "doctor minds it" 1 "$KCAPSULE" doctor
contains "and names it too" "$(cat "$out")" "PROBLEM  $tmp/profiles/bad.ini"
finish
