# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The report layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(report_sources)
noinst_HEADERS += $(report_headers)

report_sources = \
    %D%/acceptance.c \
    %D%/catalogue.c \
    %D%/check.c \
    %D%/contract_json.c \
    %D%/contract_text.c \
    %D%/contract_words.c \
    %D%/explain.c \
    %D%/foreign_text.c \
    %D%/inspect.c \
    %D%/modules.c \
    %D%/plan_json.c \
    %D%/plan_text.c \
    %D%/profile_list.c \
    %D%/profile_list.h \
    %D%/profiles.c \
    %D%/record_json.c \
    %D%/record_roles.c \
    %D%/record_text.c \
    %D%/rule_json.c \
    %D%/rule_owner.c \
    %D%/rule_text.c \
    %D%/run_record.c

report_headers = \
    %D%/contract_words.h \
    %D%/report.h \
    %D%/record_roles.h \
    %D%/rule_owner.h \
    %D%/run_record.h
