# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The kcapsule command: public headers only, linked with libkcapsule and libm only.

bin_PROGRAMS += %D%/kcapsule
%C%_kcapsule_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/runtime
%C%_kcapsule_LDADD = runtime/libkcapsule.la -lm
%C%_kcapsule_SOURCES = \
    %D%/binding.c \
    %D%/binding.h \
    %D%/check.c \
    %D%/command.h \
    %D%/context.c \
    %D%/context.h \
    %D%/diff.c \
    %D%/diff.h \
    %D%/diff_alone.c \
    %D%/diff_alone.h \
    %D%/diff_bound.c \
    %D%/diff_bound.h \
    %D%/diff_bound_attention.c \
    %D%/diff_bound_length.c \
    %D%/diff_bound_norm.c \
    %D%/diff_bound_pointwise.c \
    %D%/diff_bound_softmax.c \
    %D%/diff_chain.c \
    %D%/diff_compare.c \
    %D%/diff_compare.h \
    %D%/diff_draw.c \
    %D%/diff_gradients.c \
    %D%/diff_graph.c \
    %D%/diff_json.c \
    %D%/diff_op.c \
    %D%/diff_ports.c \
    %D%/diff_ports.h \
    %D%/diff_profiles.c \
    %D%/diff_rule.c \
    %D%/diff_text.c \
    %D%/diff_verdict.c \
    %D%/doctor.c \
    %D%/doctor.h \
    %D%/doctor_log.c \
    %D%/doctor_openmp.c \
    %D%/doctor_print.c \
    %D%/exit_code.c \
    %D%/exit_code.h \
    %D%/exit_guard.c \
    %D%/exit_guard.h \
    %D%/help.c \
    %D%/inspect.c \
    %D%/json_text.c \
    %D%/json_text.h \
    %D%/main.c \
    %D%/message.c \
    %D%/message.h \
    %D%/modules.c \
    %D%/openmp.c \
    %D%/openmp.h \
    %D%/ops.c \
    %D%/option_table.c \
    %D%/options.c \
    %D%/options.h \
    %D%/plan.c \
    %D%/port_text.c \
    %D%/probe.c \
    %D%/probe.h \
    %D%/probe_answer.h \
    %D%/probe_module.c \
    %D%/profiles.c \
    %D%/run.c \
    %D%/run.h \
    %D%/run_execute.c \
    %D%/run_extents.c \
    %D%/run_files.c \
    %D%/run_labels.c \
    %D%/run_ports.c \
    %D%/run_results.c \
    %D%/run_stage.c \
    %D%/run_stage.h \
    %D%/run_summary.c \
    %D%/subject.c \
    %D%/subject.h

dist_man1_MANS += \
    %D%/man/kcapsule.1 \
    %D%/man/kcapsule-check.1 \
    %D%/man/kcapsule-diff.1 \
    %D%/man/kcapsule-doctor.1 \
    %D%/man/kcapsule-inspect.1 \
    %D%/man/kcapsule-modules.1 \
    %D%/man/kcapsule-ops.1 \
    %D%/man/kcapsule-plan.1 \
    %D%/man/kcapsule-profiles.1 \
    %D%/man/kcapsule-run.1

EXTRA_DIST += %D%/README.md
