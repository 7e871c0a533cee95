# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# TAP for shell tests. A test is a bash script that starts with
#
#     . "${KC_SRCDIR:?}/tests/tap.sh"
#
# and ends with `finish`. It gets KCAPSULE (the command), KC_SRCDIR, KC_BUILDDIR
# and, in an uninstalled run, KCAPSULE_MODULE_PATH from the environment.
#
#   ok NAME                       one test that passed
#   not_ok NAME [TEXT]            one test that failed; TEXT becomes comments
#   skip NAME REASON              one test that could not run here
#   skip_all REASON               the whole script cannot run here; leaves it
#   check NAME COMMAND...         passes when COMMAND succeeds; its output is
#                                 shown when it fails
#   is NAME FOUND EXPECTED        passes when the two texts are equal
#   contains NAME TEXT PART       passes when PART occurs in TEXT
#   run COMMAND...                runs it with no stdin; sets $status, and the
#                                 files $out and $err
#   runs NAME STATUS COMMAND...   run, and pass when it ends with STATUS
#   prints NAME STATUS EXPECTED COMMAND...
#                                 run; passes on that status, exactly the text
#                                 EXPECTED on stdout and nothing on stderr
#   fails NAME STATUS EXPECTED COMMAND...
#                                 the same, with EXPECTED on stderr and nothing
#                                 on stdout
#   plan N                        N tests are expected (`finish` then compares)
#   finish                        prints the plan
#
# $tmp is an empty folder that is removed at the end. Trailing newlines are not
# compared. Results go to stdout as TAP; a test script prints nothing else there.
# The status is 0 whenever the TAP text is complete: the verdict is the text.

set -u
tap_count=0
tap_planned=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/kcapsule-test.XXXXXX") || exit 99
trap 'rm -rf -- "$tmp"' EXIT
out=$tmp/.stdout
err=$tmp/.stderr
status=0

tap_comment() { printf '%s\n' "$1" | sed 's/^/# /'; }

ok()
{
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s\n' "$tap_count" "$1"
}

not_ok()
{
    tap_count=$((tap_count + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    if [ $# -gt 1 ]; then
        tap_comment "$2"
    fi
}

skip()
{
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

skip_all()
{
    printf '1..0 # SKIP %s\n' "$1"
    exit 0
}

check()
{
    local name=$1 text
    shift
    if text=$("$@" 2>&1 </dev/null); then
        ok "$name"
    else
        not_ok "$name" "command: $*
$text"
    fi
}

is()
{
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "expected:
$3
found:
$2"
    fi
}

contains()
{
    case $2 in
        *"$3"*) ok "$1" ;;
        *) not_ok "$1" "expected to contain:
$3
found:
$2" ;;
    esac
}

run()
{
    status=0
    "$@" >"$out" 2>"$err" </dev/null || status=$?
}

tap_run_report()
{
    printf 'command: %s\nstatus: %s, expected %s\nstdout:\n%s\nstderr:\n%s\n' \
        "$3" "$2" "$1" "$(cat "$out")" "$(cat "$err")"
}

runs()
{
    local name=$1 want=$2
    shift 2
    run "$@"
    if [ "$status" -eq "$want" ]; then
        ok "$name"
    else
        not_ok "$name" "$(tap_run_report "$want" "$status" "$*")"
    fi
}

# tap_compare NAME STATUS EXPECTED-STDOUT EXPECTED-STDERR COMMAND-TEXT
tap_compare()
{
    if [ "$status" -eq "$2" ] && [ "$(cat "$out")" = "$3" ] &&
        [ "$(cat "$err")" = "$4" ]; then
        ok "$1"
        return
    fi
    not_ok "$1" "$(tap_run_report "$2" "$status" "$5")
expected stdout:
$3
expected stderr:
$4"
}

prints()
{
    local name=$1 want=$2 text=$3
    shift 3
    run "$@"
    tap_compare "$name" "$want" "$text" "" "$*"
}

fails()
{
    local name=$1 want=$2 text=$3
    shift 3
    run "$@"
    tap_compare "$name" "$want" "" "$text" "$*"
}

plan() { tap_planned=$1; }

finish()
{
    if [ -n "$tap_planned" ] && [ "$tap_planned" -ne "$tap_count" ]; then
        tap_comment "planned $tap_planned tests, ran $tap_count"
    fi
    printf '1..%d\n' "${tap_planned:-$tap_count}"
    exit 0
}
