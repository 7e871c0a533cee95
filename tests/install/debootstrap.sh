#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Proves the set-up on a bare Debian. Run by hand as root:
#
#     tests/install/debootstrap.sh [SUITE] [MIRROR] [TREE]
#
# makes a minimal SUITE (bookworm) in a temporary folder from MIRROR (the one that
# apt uses on this machine), copies TREE (this source folder, or a distribution
# archive) into it, runs `./bootstrap demo` and `./bootstrap check` there, and
# removes it. Needs debootstrap and a mirror, so it is no part of make check.

set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
suite=${1:-bookworm}
mirror=${2:-}
tree=${3:-$source_dir}

die()
{
    echo "debootstrap.sh: $*" >&2
    exit 2
}

mirror_of_apt()
{
    apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' |
        awk -v suite="$suite" \
            '$1 == suite && $2 == "main" { print $3; exit }'
}

# Only what decides how a mirror is reached; never credentials.
copy_network_setup()
{
    apt-config dump | grep -iE \
        '^Acquire::(https?::(Proxy|CaInfo|Verify)|Check-)' \
        >"$root/etc/apt/apt.conf.d/90network" || :
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
}

# As a clone has it: without what autoreconf, configure and make left.
copy_tree()
{
    mkdir -p "$root/src"
    if [ -f "$tree" ]; then
        tar -C "$root/src" --strip-components=1 -xf "$tree"
        return
    fi
    tar -C "$tree" --exclude=./.git --exclude=./build --exclude=./configure \
        --exclude=./aclocal.m4 --exclude=./autom4te.cache \
        --exclude=Makefile.in --exclude=./m4/build-aux \
        --exclude='./m4/libtool.m4' --exclude='./m4/lt*.m4' -cf - . |
        tar -C "$root/src" --no-same-owner -xf -
}

# In a mount namespace of its own, so that nothing stays mounted.
in_root()
{
    unshare --mount bash -euc '
        root=$1; shift
        mount -t proc proc "$root/proc"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LANG=C.UTF-8 http_proxy="${http_proxy-}" \
            https_proxy="${https_proxy-}" no_proxy="${no_proxy-}" "$@"
    ' in_root "$root" "$@" </dev/null
}

run_stage()
{
    echo "== $*"
    local start=$SECONDS
    in_root sh -c 'cd / && exec "$@"' stage "$@"
    echo "== done in $((SECONDS - start)) s: $*"
}

[ "$(id -u)" -eq 0 ] || die "must be run as root"
command -v debootstrap >/dev/null || die "debootstrap is not installed"
[ -e "$tree" ] || die "no such tree: $tree"
mirror=${mirror:-$(mirror_of_apt)}
[ -n "$mirror" ] || die "apt knows no mirror of $suite; name one"

root=$(mktemp -d "${TMPDIR:-/var/tmp}/kcapsule-root.XXXXXX")
trap 'rm -rf --one-file-system -- "$root"' EXIT
# Tests drop to another user, who has to get in.
chmod 755 "$root"
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    rm -f "$root.log"
    die "debootstrap failed"
}
rm -f "$root.log"
copy_network_setup
copy_tree
run_stage /src/bootstrap demo
run_stage /src/bootstrap check
