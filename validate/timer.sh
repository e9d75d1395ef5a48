# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reads what validate/preload/timer.c writes: source it.

# slowest_ns FILE: prints the run time of the slowest rank, ns, with all digits
slowest_ns() {
    awk '{ t = $3 - $2; most = t > most ? t : most } END { printf "%.0f\n", most }' "$1"
}
