# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Examples: built and run by make check with public headers only.

check_PROGRAMS += \
    %D%/gradients/gradients \
    %D%/load_profile/load_profile \
    %D%/plan_ops/plan_ops \
    %D%/run_graph/run_graph \
    %D%/third_party/third_party

%C%_gradients_gradients_SOURCES = %D%/gradients/gradients.c
%C%_gradients_gradients_CPPFLAGS = $(PUBLIC_CPPFLAGS)
%C%_gradients_gradients_LDADD = runtime/libkcapsule.la

%C%_load_profile_load_profile_SOURCES = %D%/load_profile/load_profile.c
%C%_load_profile_load_profile_CPPFLAGS = $(PUBLIC_CPPFLAGS)
%C%_load_profile_load_profile_LDADD = runtime/libkcapsule.la

%C%_plan_ops_plan_ops_SOURCES = %D%/plan_ops/plan_ops.c
%C%_plan_ops_plan_ops_CPPFLAGS = $(PUBLIC_CPPFLAGS)
%C%_plan_ops_plan_ops_LDADD = runtime/libkcapsule.la

%C%_run_graph_run_graph_SOURCES = %D%/run_graph/run_graph.c
%C%_run_graph_run_graph_CPPFLAGS = $(PUBLIC_CPPFLAGS)
%C%_run_graph_run_graph_LDADD = runtime/libkcapsule.la

%C%_third_party_third_party_SOURCES = %D%/third_party/third_party.c
%C%_third_party_third_party_CPPFLAGS = $(PUBLIC_CPPFLAGS)
%C%_third_party_third_party_LDADD = runtime/libkcapsule.la

example_tests = \
    %D%/digits/demo_test.sh \
    %D%/gradients/gradients_test.sh \
    %D%/load_profile/load_profile_test.sh \
    %D%/plan_ops/plan_ops_test.sh \
    %D%/run_graph/run_graph_test.sh \
    %D%/third_party/third_party_test.sh

TESTS += $(example_tests)
EXTRA_DIST += $(example_tests) %D%/README.md \
    %D%/digits/README.md \
    %D%/digits/demo.sh \
    %D%/digits/digits_mlp.json \
    %D%/digits/digits_mlp_loss.json \
    %D%/digits/digits_mlp.safetensors \
    %D%/digits/digits_mlp_logits_fixed_left.npy \
    %D%/digits/digits_test_images.npy \
    %D%/digits/digits_test_labels.npy \
    %D%/gradients/mlp_loss.json \
    %D%/load_profile/acme.ini \
    %D%/third_party/Makefile \
    %D%/third_party/acme.c \
    %D%/third_party/acme.ini
