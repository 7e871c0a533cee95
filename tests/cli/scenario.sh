# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What the scripts of this folder share; sourced after tests/tap.sh.
#
#   ends STATUS NAME PART ARGUMENT...   the command ends with STATUS, says one
#                               line that contains PART on stderr and nothing on
#                               stdout
#   refused NAME PART ARGUMENT...       ends 2
#   npy SHAPE [TYPE [ORDER]]    the 128 bytes before the data of an npy file
#   floats N...                 float32 values of small whole numbers
#   graph NODES LAST            a graph file with these nodes, on stdout
#
# $mocks: the mock modules; $digits: the folder of the classifier; $chain: a
# graph of three relu on input x of [4], output y.

mocks=$KC_BUILDDIR/tests/mocks/.libs
digits=$KC_SRCDIR/examples/digits
chain=$KC_SRCDIR/tests/graphs/relu_chain.json

ends()
{
    local want=$1 name=$2 part=$3 found
    shift 3
    run "$KCAPSULE" "$@"
    found="status $status, stdout \"$(cat "$out")\", $(wc -l <"$err") line"
    if [ "$found" = "status $want, stdout \"\", 1 line" ]; then
        contains "$name" "$(cat "$err")" "$part"
    else
        not_ok "$name" "kcapsule $*
$found
$(cat "$err")"
    fi
}

refused() { ends 2 "$@"; }

npy()
{
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '${2:-<f4}', 'fortran_order': ${3:-False}, 'shape': $1, }"
}

# 0, 1, 2, 4, 8 and -1 cover what the tests write.
floats()
{
    local number
    for number in "$@"; do
        case $number in
            0) printf '\000\000\000\000' ;;
            1) printf '\000\000\200\077' ;;
            2) printf '\000\000\000\100' ;;
            4) printf '\000\000\200\100' ;;
            8) printf '\000\000\000\101' ;;
            -1) printf '\000\000\200\277' ;;
        esac
    done
}

graph()
{
    printf '{"format": "kcapsule-graph", "version": 1, "nodes": [\n%s],\n' "$1"
    printf '"outputs": [{"name": "y", "node": %s}]}\n' "$2"
}
