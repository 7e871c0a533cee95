# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What the lint tests share; sourced after tests/tap.sh. Paths are relative to
# the source folder, which becomes the working folder.
#
#   sources PATTERN...       every file of the repository with such a name
#   exempt RULE PATH         whether tests/lint/exempt.txt has that line
#   none NAME TEXT           passes when TEXT, a list of violations, is empty
#   objects FOLDER           the object files of the sources in that folder
#   layers                   the layers that have a folder, lowest first

cd "$KC_SRCDIR" || exit 99
objdump=${OBJDUMP:-objdump}
nm=${NM:-nm}

sources()
{
    local pattern names=()
    for pattern in "$@"; do
        names+=(-o -name "$pattern")
    done
    find runtime sdk modules tests examples m4 -path m4/build-aux -prune -o \
        \( "${names[@]:1}" \) -type f -print |
        grep -v -e '^m4/lib' -e '^m4/lt' | LC_ALL=C sort
}

exempt()
{
    grep -q "^$1 *$2 " tests/lint/exempt.txt
}

none()
{
    if [ -z "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "$2"
    fi
}

# Only objects whose source still exists: a build folder keeps old ones.
objects()
{
    local object base
    find "$KC_BUILDDIR/$1" -maxdepth 2 -name '*.o' \
        \( -path '*/.libs/*' -o -path '*/cli/*' \) 2>/dev/null |
        while read -r object; do
            base=${object##*[/-]}
            [ ! -e "$1/${base%.o}.c" ] && [ ! -e "$1/${base%.o}.cpp" ] ||
                echo "$object"
        done
}

layers()
{
    local layer
    awk '!/^#/ { print $2 }' runtime/LAYERS | while read -r layer; do
        [ ! -d "runtime/$layer" ] || echo "$layer"
    done
}
