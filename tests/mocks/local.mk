# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# Mock modules, one a fault. They land in tests/mocks/.libs/NAME.so.
#
# check_LTLIBRARIES += %D%/no_entry.la
# %C%_no_entry_la_SOURCES = %D%/no_entry.c
# %C%_no_entry_la_CPPFLAGS = $(MODULE_CPPFLAGS)
# %C%_no_entry_la_LDFLAGS = $(MOCK_LINK_FLAGS)

MOCK_LINK_FLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
