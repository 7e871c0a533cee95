# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# The module layer: list every source and header here, by hand.

runtime_libkcapsule_internal_la_SOURCES += $(module_sources)
noinst_HEADERS += $(module_headers)

module_sources = \
    %D%/alignment.c \
    %D%/elf_words.c \
    %D%/entry_check.c \
    %D%/file_judge.c \
    %D%/folder_names.c \
    %D%/handler_check.c \
    %D%/image.c \
    %D%/inspect_capsule.c \
    %D%/inspect_dynamic.c \
    %D%/inspect_elf.c \
    %D%/inspect_notes.c \
    %D%/inspect_records.c \
    %D%/inspect_symbol.c \
    %D%/loaded_image.c \
    %D%/module_file.c \
    %D%/module_search.c \
    %D%/open.c \
    %D%/openmp_runtimes.c \
    %D%/record_text.c \
    %D%/state_guard.c

module_headers = \
    %D%/elf_words.h \
    %D%/entry_check.h \
    %D%/file_judge.h \
    %D%/folder_names.h \
    %D%/fp_guard.h \
    %D%/image.h \
    %D%/inspect_dynamic.h \
    %D%/inspect_elf.h \
    %D%/inspect_notes.h \
    %D%/inspect_records.h \
    %D%/loaded_image.h \
    %D%/module_file.h \
    %D%/module_search.h \
    %D%/opened.h \
    %D%/openmp_runtimes.h \
    %D%/record_text.h \
    %D%/state_guard.h
