# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Part of mpgbench: who uses the machine.

# Prints the times of all processes and all cores. Core times are read last before the interval and first after it
# ($1: before or after), so that the interval excludes the reading of process times.
snapshot() {
    [ "$1" != after ] || cat /proc/stat
    cat /proc/[0-9]*/stat
    [ "$1" = after ] || cat /proc/stat
} 2>/dev/null

# Prints the load of the cores that this process may use in one line, "idle: ..." or "busy: ...". Idle means that other
# processes use at most 3 % of all these cores and 10 % of each one, and a hypervisor likewise.
look_at_machine() {
    if ! [ -r /proc/stat ]; then
        echo "unknown: there is no /proc/stat"
        return
    fi
    {
        snapshot before
        sleep 1
        echo --
        snapshot after
    } | awk -v self=$$ '
        # Marks the cores of a list like 0-3,8.
        function allow(list,    n, i, part, ends, c) {
            n = split(list, part, ",")
            for (i = 1; i <= n; i++) {
                split(part[i], ends, "-")
                for (c = ends[1]; c <= (2 in ends ? ends[2] : ends[1]); c++) allowed[c] = 1
            }
        }
        BEGIN {
            while ((getline line < "/proc/self/status") > 0)
                if (sub(/^Cpus_allowed_list:[ \t]*/, "", line)) allow(line)
        }
        $0 == "--" { later = 1; next }
        /^procs_running / { waiting = $2 - 1; next } # without the reader
        /^cpu[0-9]/ {
            c = substr($1, 4)
            if (!(c in allowed)) next
            sign = later ? 1 : -1
            used[c] += sign * ($2 + $3 + $4 + $7 + $8)
            stolen[c] += sign * $9
            for (i = 2; i <= 9; i++) all[c] += sign * $i
            next
        }
        /^[0-9]+ \(/ {
            # The name is in brackets, and may contain brackets and blanks.
            rest = $0
            while (i = index(rest, ")")) rest = substr(rest, i + 1)
            from = index($0, "(")
            split(rest, field, " ")
            time = field[12] + field[13]
            if (!later) { before[$1] = time; next }
            if ($1 == self || time == before[$1]) next
            took[substr($0, from + 1, length($0) - length(rest) - from - 1)] += time - before[$1]
        }
        END {
            for (c in all) {
                n++; ticks += all[c]; u += used[c]; s += stolen[c]
                if (all[c] > 0 && (used[c] > 0.1 * all[c] || stolen[c] > 0.1 * all[c])) busy = 1
            }
            if (ticks < 20 * n || n == 0) { print "unknown: /proc/stat hardly counted"; exit }
            if (u > 0.03 * ticks || s > 0.03 * ticks) busy = 1
            text = sprintf("others use %.2g of %d core%s", n * u / ticks, n, n == 1 ? "" : "s")
            for (name in took) known += took[name]
            for (k = 0; busy && k < 3; k++) {
                who = ""
                for (name in took) if (who == "" || took[name] > took[who]) who = name
                if (who == "" || took[who] < 0.01 * ticks / n) break
                whos = whos (k ? ", " : "") sprintf("%s %.0f %% of one", who, 100 * n * took[who] / ticks)
                delete took[who]
            }
            if (busy && known < u / 2)
                whos = whos (whos == "" ? "" : ", ") "the rest by terminated processes"
            if (whos != "") text = text " (" whos ")"
            text = text sprintf(", a hypervisor takes %.2g %% of their time", 100 * s / ticks)
            if (busy && waiting > 0) text = text sprintf(", runnable threads: %d", waiting)
            gsub(/[[:cntrl:]]/, "?", text)
            print (busy ? "busy: " : "idle: ") text
        }'
}
