# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors

TESTS += %D%/headers.sh
EXTRA_DIST += %D%/headers.sh %D%/README.md
