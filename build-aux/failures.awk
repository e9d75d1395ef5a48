# SPDX-License-Identifier: GPL-3.0-or-later
# Of TAP, the points that failed, each with the comments that stand beside it.
/^#/ {
    if (beside)
        print
    else
        before = before $0 "\n"
    next
}
{ beside = /^not ok/ }
beside { printf "%s%s\n", before, $0 }
{ before = "" }
