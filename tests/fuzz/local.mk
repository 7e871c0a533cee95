# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Fuzz entries: fuzz_<parser>.c defines what fuzz.h declares. make check replays
# the corpus of each; --enable-fuzzing also builds the libFuzzer programs.
# A new parser: five lines for its replay, five for its libFuzzer program.

FUZZ_CPPFLAGS = $(AM_CPPFLAGS) $(KC_DEPENDENCY_CFLAGS) -I$(top_srcdir)/tests
FUZZ_LINK_FLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
FUZZ_LIBS = runtime/libkcapsule-internal.la

EXTRA_DIST += %D%/README.md %D%/corpus

check_PROGRAMS += %D%/replay_graph
TESTS += %D%/replay_graph
%C%_replay_graph_SOURCES = %D%/fuzz_graph.c %D%/replay.c %D%/fuzz.h
%C%_replay_graph_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_graph_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_json
TESTS += %D%/replay_json
%C%_replay_json_SOURCES = %D%/fuzz_json.c %D%/replay.c %D%/fuzz.h
%C%_replay_json_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_json_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_module
TESTS += %D%/replay_module
%C%_replay_module_SOURCES = %D%/fuzz_module.c %D%/replay.c %D%/fuzz.h
%C%_replay_module_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_module_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_npy
TESTS += %D%/replay_npy
%C%_replay_npy_SOURCES = %D%/fuzz_npy.c %D%/replay.c %D%/fuzz.h
%C%_replay_npy_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_npy_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_profile
TESTS += %D%/replay_profile
%C%_replay_profile_SOURCES = %D%/fuzz_profile.c %D%/replay.c %D%/fuzz.h
%C%_replay_profile_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_profile_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_profile_ini
TESTS += %D%/replay_profile_ini
%C%_replay_profile_ini_SOURCES = %D%/fuzz_profile_ini.c %D%/replay.c %D%/fuzz.h
%C%_replay_profile_ini_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_profile_ini_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/replay_safetensors
TESTS += %D%/replay_safetensors
%C%_replay_safetensors_SOURCES = %D%/fuzz_safetensors.c %D%/replay.c %D%/fuzz.h
%C%_replay_safetensors_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_replay_safetensors_LDADD = $(FUZZ_LIBS)

if ENABLE_FUZZING

check_PROGRAMS += %D%/fuzz_graph
%C%_fuzz_graph_SOURCES = %D%/fuzz_graph.c %D%/fuzz.h
%C%_fuzz_graph_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_graph_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_graph_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_json
%C%_fuzz_json_SOURCES = %D%/fuzz_json.c %D%/fuzz.h
%C%_fuzz_json_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_json_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_json_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_module
%C%_fuzz_module_SOURCES = %D%/fuzz_module.c %D%/fuzz.h
%C%_fuzz_module_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_module_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_module_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_npy
%C%_fuzz_npy_SOURCES = %D%/fuzz_npy.c %D%/fuzz.h
%C%_fuzz_npy_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_npy_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_npy_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_profile
%C%_fuzz_profile_SOURCES = %D%/fuzz_profile.c %D%/fuzz.h
%C%_fuzz_profile_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_profile_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_profile_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_profile_ini
%C%_fuzz_profile_ini_SOURCES = %D%/fuzz_profile_ini.c %D%/fuzz.h
%C%_fuzz_profile_ini_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_profile_ini_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_profile_ini_LDADD = $(FUZZ_LIBS)

check_PROGRAMS += %D%/fuzz_safetensors
%C%_fuzz_safetensors_SOURCES = %D%/fuzz_safetensors.c %D%/fuzz.h
%C%_fuzz_safetensors_CPPFLAGS = $(FUZZ_CPPFLAGS)
%C%_fuzz_safetensors_LDFLAGS = $(FUZZ_LINK_FLAGS)
%C%_fuzz_safetensors_LDADD = $(FUZZ_LIBS)

endif
