# SPDX-License-Identifier: GPL-3.0-or-later
# Prints a row of the table of replays (Markdown). Input: lines "untraced traced replayed", run times in ns. The row has their
# medians with 95 % intervals, and the deviations of the traced and the replayed median from the untraced one in %. Variables:
# program, machine. Needs validate/sample.awk.

{ for (i = 1; i <= 3; i++) value[i, NR - 1] = $i }

function of(column,   v, i) {
    for (i = 0; i < NR; i++)
        v[i] = value[column, i]
    middle[column] = median(v, NR)
    return sprintf("%.1f (%.1f .. %.1f)", middle[column] / 1e6, v[outside(NR)] / 1e6, v[NR - 1 - outside(NR)] / 1e6)
}

function off(column) {
    return sprintf("%+.1f", 100 * (middle[column] / middle[1] - 1))
}

END {
    if (NR == 0)
        exit
    untraced = of(1)
    traced = of(2)
    replayed = of(3)
    printf "| %s | %s | %d | %s | %s | %s | %s | %s |\n", program, machine, NR, untraced, traced, off(2), replayed, off(3)
}
