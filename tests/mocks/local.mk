# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Mock modules, one a fault. They land in tests/mocks/.libs/NAME.so. They see
# the SDK headers only, as every module does.

MOCK_CPPFLAGS = $(MODULE_CPPFLAGS) -I$(top_srcdir)/tests
MOCK_SHAPE = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
MOCK_LINK_FLAGS = $(MOCK_SHAPE) -export-symbols-regex '^kc_module_entry$$'

noinst_HEADERS += %D%/mock.h
EXTRA_DIST += %D%/README.md

# The files that no compiler makes; see its head.
check_PROGRAMS += %D%/make_bad_files
%C%_make_bad_files_SOURCES = %D%/make_bad_files.c

check_LTLIBRARIES += %D%/absurd_size.la
%C%_absurd_size_la_SOURCES = %D%/absurd_size/module.c
%C%_absurd_size_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_absurd_size_la_LDFLAGS = $(MOCK_LINK_FLAGS)

# Needs good.so, which is found by its own folder.
check_LTLIBRARIES += %D%/borrowed_entry.la
%C%_borrowed_entry_la_SOURCES = %D%/borrowed_entry/module.c
%C%_borrowed_entry_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_borrowed_entry_la_LDFLAGS = $(MOCK_SHAPE) \
    -export-symbols-regex '^borrowed_entry' \
    -Wl,-rpath,$(abs_top_builddir)/tests/mocks/.libs \
    -Wl,--no-as-needed,%D%/.libs/good.so
%C%_borrowed_entry_la_DEPENDENCIES = %D%/good.la

check_LTLIBRARIES += %D%/checked_boundary.la
%C%_checked_boundary_la_SOURCES = %D%/checked_boundary/module.c
%C%_checked_boundary_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_checked_boundary_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/composed_attention.la
%C%_composed_attention_la_SOURCES = %D%/composed_attention/module.c
%C%_composed_attention_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_composed_attention_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/contracts_only.la
%C%_contracts_only_la_SOURCES = %D%/contracts_only/module.c
%C%_contracts_only_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_contracts_only_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/drifting.la
%C%_drifting_la_SOURCES = %D%/drifting/module.c
%C%_drifting_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_drifting_la_LDFLAGS = $(MOCK_LINK_FLAGS)
%C%_drifting_la_LIBADD = -lm

check_LTLIBRARIES += %D%/duplicate_identity.la
%C%_duplicate_identity_la_SOURCES = %D%/duplicate_identity/module.c
%C%_duplicate_identity_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_duplicate_identity_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/forward_exits.la
%C%_forward_exits_la_SOURCES = %D%/forward_exits/module.c
%C%_forward_exits_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_forward_exits_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/forward_fails.la
%C%_forward_fails_la_SOURCES = %D%/forward_fails/module.c
%C%_forward_fails_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_forward_fails_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/forward_only.la
%C%_forward_only_la_SOURCES = %D%/forward_only/module.c
%C%_forward_only_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_forward_only_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/fp_changer.la
%C%_fp_changer_la_SOURCES = %D%/fp_changer/module.c
%C%_fp_changer_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_fp_changer_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/good.la
%C%_good_la_SOURCES = %D%/good/module.c
%C%_good_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_good_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/handler_mismatch.la
%C%_handler_mismatch_la_SOURCES = %D%/handler_mismatch/module.c
%C%_handler_mismatch_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_handler_mismatch_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/init_fails.la
%C%_init_fails_la_SOURCES = %D%/init_fails/module.c
%C%_init_fails_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_init_fails_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/long_record.la
%C%_long_record_la_SOURCES = %D%/long_record/module.c
%C%_long_record_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_long_record_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/marker.la
%C%_marker_la_SOURCES = %D%/marker/module.c
%C%_marker_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_marker_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/misaligned.la
%C%_misaligned_la_SOURCES = %D%/misaligned/module.c
%C%_misaligned_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_misaligned_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/newer_minor.la
%C%_newer_minor_la_SOURCES = %D%/newer_minor/module.c
%C%_newer_minor_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_newer_minor_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/no_note.la
%C%_no_note_la_SOURCES = %D%/no_note/module.c
%C%_no_note_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_no_note_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/no_symbol.la
%C%_no_symbol_la_SOURCES = %D%/no_symbol/module.c
%C%_no_symbol_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_no_symbol_la_LDFLAGS = $(MOCK_SHAPE) -export-symbols-regex '^no_symbol'

check_LTLIBRARIES += %D%/null_entry.la
%C%_null_entry_la_SOURCES = %D%/null_entry/module.c
%C%_null_entry_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_null_entry_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/null_forward.la
%C%_null_forward_la_SOURCES = %D%/null_forward/module.c
%C%_null_forward_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_null_forward_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/null_handler.la
%C%_null_handler_la_SOURCES = %D%/null_handler/module.c
%C%_null_handler_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_null_handler_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/other_provider.la
%C%_other_provider_la_SOURCES = %D%/other_provider/module.c
%C%_other_provider_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_other_provider_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/own_backward.la
%C%_own_backward_la_SOURCES = %D%/own_backward/module.c
%C%_own_backward_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_own_backward_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/plain_loops.la
%C%_plain_loops_la_SOURCES = %D%/plain_loops/module.c \
    %D%/plain_loops/float32.h %D%/plain_loops/float64.h \
    %D%/plain_loops/loops_typed.h
%C%_plain_loops_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_plain_loops_la_LDFLAGS = $(MOCK_LINK_FLAGS)
%C%_plain_loops_la_LIBADD = -lm

check_LTLIBRARIES += %D%/reentrant_init.la
%C%_reentrant_init_la_SOURCES = %D%/reentrant_init/module.c
%C%_reentrant_init_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_reentrant_init_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/same_identity_a.la
%C%_same_identity_a_la_SOURCES = %D%/same_identity/a.c
%C%_same_identity_a_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_same_identity_a_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/same_identity_b.la
%C%_same_identity_b_la_SOURCES = %D%/same_identity/b.c
%C%_same_identity_b_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_same_identity_b_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/saves_too_little.la
%C%_saves_too_little_la_SOURCES = %D%/saves_too_little/module.c
%C%_saves_too_little_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_saves_too_little_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/short_entry.la
%C%_short_entry_la_SOURCES = %D%/short_entry/module.c
%C%_short_entry_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_short_entry_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/short_record.la
%C%_short_record_la_SOURCES = %D%/short_record/module.c
%C%_short_record_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_short_record_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/slanted.la
%C%_slanted_la_SOURCES = %D%/slanted/module.c
%C%_slanted_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_slanted_la_LDFLAGS = $(MOCK_LINK_FLAGS)
%C%_slanted_la_LIBADD = -lm

check_LTLIBRARIES += %D%/slow_init.la
%C%_slow_init_la_SOURCES = %D%/slow_init/module.c
%C%_slow_init_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_slow_init_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/starts_threads.la
%C%_starts_threads_la_SOURCES = %D%/starts_threads/module.c
%C%_starts_threads_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_starts_threads_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/state_changer.la
%C%_state_changer_la_SOURCES = %D%/state_changer/module.c
%C%_state_changer_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_state_changer_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/stranger_matmul.la
%C%_stranger_matmul_la_SOURCES = %D%/stranger_matmul/module.c
%C%_stranger_matmul_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_stranger_matmul_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/stray_provenance.la
%C%_stray_provenance_la_SOURCES = %D%/stray_provenance/module.c
%C%_stray_provenance_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_stray_provenance_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/two_libtorch_a.la
%C%_two_libtorch_a_la_SOURCES = %D%/two_libtorch/a.c
%C%_two_libtorch_a_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_two_libtorch_a_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/two_libtorch_b.la
%C%_two_libtorch_b_la_SOURCES = %D%/two_libtorch/b.c
%C%_two_libtorch_b_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_two_libtorch_b_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/two_notes.la
%C%_two_notes_la_SOURCES = %D%/two_notes/module.c
%C%_two_notes_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_two_notes_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/undefined_symbol.la
%C%_undefined_symbol_la_SOURCES = %D%/undefined_symbol/module.c
%C%_undefined_symbol_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_undefined_symbol_la_LDFLAGS = $(MOCK_LINK_FLAGS) -Wl,-z,lazy

check_LTLIBRARIES += %D%/unknown_operation.la
%C%_unknown_operation_la_SOURCES = %D%/unknown_operation/module.c
%C%_unknown_operation_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_unknown_operation_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/unterminated_string.la
%C%_unterminated_string_la_SOURCES = %D%/unterminated_string/module.c
%C%_unterminated_string_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_unterminated_string_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/vjp_fails.la
%C%_vjp_fails_la_SOURCES = %D%/vjp_fails/module.c
%C%_vjp_fails_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_vjp_fails_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/vjp_fp_changer.la
%C%_vjp_fp_changer_la_SOURCES = %D%/vjp_fp_changer/module.c
%C%_vjp_fp_changer_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_vjp_fp_changer_la_LDFLAGS = $(MOCK_LINK_FLAGS)
%C%_vjp_fp_changer_la_LIBADD = -lm

check_LTLIBRARIES += %D%/vjp_missing.la
%C%_vjp_missing_la_SOURCES = %D%/vjp_missing/module.c
%C%_vjp_missing_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_vjp_missing_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/with_provenance.la
%C%_with_provenance_la_SOURCES = %D%/with_provenance/module.c
%C%_with_provenance_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_with_provenance_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/wrong_major.la
%C%_wrong_major_la_SOURCES = %D%/wrong_major/module.c
%C%_wrong_major_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_wrong_major_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/wrong_name.la
%C%_wrong_name_la_SOURCES = %D%/wrong_name/module.c
%C%_wrong_name_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_wrong_name_la_LDFLAGS = $(MOCK_LINK_FLAGS)

check_LTLIBRARIES += %D%/zero_size.la
%C%_zero_size_la_SOURCES = %D%/zero_size/module.c
%C%_zero_size_la_CPPFLAGS = $(MOCK_CPPFLAGS)
%C%_zero_size_la_LDFLAGS = $(MOCK_LINK_FLAGS)
