#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# What the command line refuses, by name and with exit status 2; and results
# that cannot be written.

. "${KC_SRCDIR:?}/tests/tap.sh"
. "$KC_SRCDIR/tests/cli/scenario.sh"

runs "help" 0 "$KCAPSULE" --help
contains "names the commands" "$(cat "$out")" "  plan "
contains "and the exit status" "$(cat "$out")" "Exit status: 0 done"
runs "no command" 2 "$KCAPSULE"
contains "shows the usage on stderr" "$(cat "$err")" "Usage: kcapsule"
is "and nothing on stdout" "$(cat "$out")" ""
runs "version" 0 "$KCAPSULE" --version
contains "is a number" "$(cat "$out")" "kcapsule 0."
runs "help as a command" 0 "$KCAPSULE" help
contains "shows the same" "$(cat "$out")" "  plan "
refused "help of nothing" "unknown command: frobnicate" help frobnicate
refused "help of two" "unexpected argument: run" help plan run
for command in modules inspect ops profiles plan check run doctor; do
    runs "$command --help" 0 "$KCAPSULE" "$command" --help
    contains "$command --help shows the usage" "$(cat "$out")" \
        "Usage: kcapsule $command"
    prints "help $command is the same" 0 "$(cat "$out")" \
        "$KCAPSULE" help "$command"
done

refused "an unknown command" "unknown command: frobnicate" frobnicate
refused "an unknown option before" "unknown option: --frobnicate" --frobnicate
for command in train conform attest bench; do
    refused "$command" "$command: not in this build" "$command"
done
refused "an unknown option" "unknown option --frobnicate" plan --frobnicate
refused "an unknown letter" "unknown option -x" plan -x
refused "an option of another command" "unknown option --weights" \
    plan --weights x
refused "an option without its argument" "option --graph needs an argument" \
    plan -p checked_cpu --graph
refused "-p without its argument" "option -p needs an argument" plan -p
refused "a flag with an argument" "--names=x takes no argument" \
    plan -p checked_cpu --names=x relu
refused "an option given twice" '--profile is given twice: `a` and `b`' \
    plan -p a --profile b relu
refused "a flag given twice" "--names is given twice" \
    plan -p checked_cpu --names --names relu
refused "the beginning of an option" \
    "unknown option --prof; expected the whole name --profile" \
    plan --prof checked_cpu relu
refused "the same with its argument" "unknown option --prof=checked_cpu" \
    plan --prof=checked_cpu relu
refused "the same of a flag" "unknown option --nam" plan -p checked_cpu \
    --nam relu
for option in profile graph device provider assurance vjp module format \
    module-path; do
    refused "--$option without a value" "--$option: expected " \
        plan "--$option" "" relu
done
refused "--threads without a value" '--threads: expected N, found ``' \
    run --threads ""
refused "an operation without a name" 'found ``' plan -p checked_cpu ""
refused "a module without a name" 'found ``' inspect ""
refused "an argument too many" "unexpected argument: x" modules x
refused "an argument of run" "unexpected argument: relu" run -p checked_cpu relu
refused "an unknown format" 'unknown format `yaml`' modules --format yaml

refused "no profile" "no profile" plan relu
refused "an unknown profile" frobnicate plan -p frobnicate relu
refused "no operation" "give operations" plan -p checked_cpu
refused "an unknown operation" frobnicate plan -p checked_cpu frobnicate
refused "an operation in capitals" RELU plan -p checked_cpu RELU
refused "operations and a graph" "not both" \
    plan -p checked_cpu --graph g.json relu
refused "two views" "one of --explain" plan -p checked_cpu --names --full relu
refused "an unknown device" '--device: expected a device'  plan -p checked_cpu \
    --device frobnicate relu
refused "an unknown preference" frobnicate plan -p checked_cpu \
    --provider frobnicate relu
refused "a provider nobody has" nobody plan -p checked_cpu \
    --provider only:nobody relu
refused "an unknown assurance" frobnicate check -p checked_cpu \
    --assurance frobnicate relu
refused "an unknown VJP mode" frobnicate plan -p checked_cpu --vjp frobnicate \
    relu
refused "a missing module" "$tmp/none.so" plan -p checked_cpu \
    --module "$tmp/none.so" relu
refused "a missing graph" "$tmp/none.json" plan -p checked_cpu \
    --graph "$tmp/none.json"
refused "inspect without a name" "name a module" inspect
refused "inspect of nothing" frobnicate inspect frobnicate
refused "ops of nothing" frobnicate ops frobnicate

run_it=(run -p checked_cpu --graph "$KC_SRCDIR/tests/graphs/relu_chain.json")
refused "run without a graph" "no graph" run -p checked_cpu
refused "an unknown mode" 'unknown mode `lazy`' "${run_it[@]}" --mode lazy
refused "--no-reuse in eager mode" "needs --mode graph" "${run_it[@]}" \
    --no-reuse
refused "a run with gradients" "computes no gradients" "${run_it[@]}" \
    --vjp backend-vjp
for threads in 0 -1 x 1x 99999; do
    refused "--threads '$threads'" "--threads: expected 1 to" \
        "${run_it[@]}" --threads "$threads"
done

prints "auto is cpu" 0 "checked_cpu: reference.relu" \
    "$KCAPSULE" plan -p checked_cpu --device auto --names relu
prints "options may follow arguments" 0 "checked_cpu: reference.relu" \
    "$KCAPSULE" plan relu -p checked_cpu --names

stdout_commands=("ops" "ops --format json" "profiles" "modules"
    "inspect reference" "doctor" "plan -p checked_cpu relu" "--help")
for command in "${stdout_commands[@]}"; do
    read -ra words <<<"$command"
    [ -w /dev/full ] || continue
    status=0
    "$KCAPSULE" "${words[@]}" >/dev/full 2>"$err" || status=$?
    is "a full disk: $command" "$status, $(cat "$err")" "3, kcapsule: cannot \
write to standard output: No space left on device"
    status=0
    "$KCAPSULE" "${words[@]}" >&- 2>"$err" || status=$?
    is "a closed stdout: $command" "$status, $(cat "$err")" "3, kcapsule: \
cannot write to standard output: Bad file descriptor"
done
if [ ! -w /dev/full ]; then
    skip "a full disk" "no /dev/full"
fi
mkfifo "$tmp/pipe"
# The reader opens and goes away before anything is written.
{ exec 3<"$tmp/pipe"; } &
status=0
{ wait $!; "$KCAPSULE" ops; } >"$tmp/pipe" 2>"$err" || status=$?
is "a closed pipe" "$status" 3
finish
