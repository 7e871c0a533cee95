#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
#
# Stands for the unit tests in a build configured without Check.

. "${KC_SRCDIR:?}/tests/tap.sh"
skip_all "no unit tests: configure did not find Check"
