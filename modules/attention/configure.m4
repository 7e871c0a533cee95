# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Kernel Capsules authors
# What configure says about the attention module.
kc_summary_attention="on"
