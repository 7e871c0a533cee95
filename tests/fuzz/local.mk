# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Fuzz entries: fuzz_<parser>.c defines what fuzz.h declares. make check replays
# the corpus of each; --enable-fuzzing also builds the libFuzzer programs.
#
# check_PROGRAMS += %D%/replay_json
# TESTS += %D%/replay_json
# %C%_replay_json_SOURCES = %D%/fuzz_json.c %D%/replay.c %D%/fuzz.h
# %C%_replay_json_CPPFLAGS = $(FUZZ_CPPFLAGS)
# %C%_replay_json_LDADD = $(FUZZ_LIBS)
# if ENABLE_FUZZING
# check_PROGRAMS += %D%/fuzz_json
# %C%_fuzz_json_SOURCES = %D%/fuzz_json.c
# %C%_fuzz_json_CPPFLAGS = $(FUZZ_CPPFLAGS)
# %C%_fuzz_json_LDFLAGS = $(FUZZ_LINK_FLAGS)
# %C%_fuzz_json_LDADD = $(FUZZ_LIBS)
# endif

FUZZ_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS) -I$(top_srcdir)/tests
FUZZ_LINK_FLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
FUZZ_LIBS = runtime/libkcapsule-internal.la

EXTRA_DIST += %D%/README.md %D%/corpus
