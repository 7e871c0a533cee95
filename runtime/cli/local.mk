# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The kcapsule command: public headers only, linked with libkcapsule only.

bin_PROGRAMS += %D%/kcapsule
%C%_kcapsule_CPPFLAGS = $(PUBLIC_CPPFLAGS) -I$(top_srcdir)/runtime
%C%_kcapsule_LDADD = runtime/libkcapsule.la
%C%_kcapsule_SOURCES = \
    %D%/check.c \
    %D%/command.h \
    %D%/context.c \
    %D%/context.h \
    %D%/doctor.c \
    %D%/doctor.h \
    %D%/doctor_log.c \
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
    %D%/man/kcapsule-doctor.1 \
    %D%/man/kcapsule-inspect.1 \
    %D%/man/kcapsule-modules.1 \
    %D%/man/kcapsule-ops.1 \
    %D%/man/kcapsule-plan.1 \
    %D%/man/kcapsule-profiles.1 \
    %D%/man/kcapsule-run.1

EXTRA_DIST += %D%/README.md
