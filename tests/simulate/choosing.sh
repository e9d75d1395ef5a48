# SPDX-License-Identifier: GPL-3.0-or-later
# For tests of what calls complete, to source: $mpgsim on the trace t.txt, in which a message's least
# flight is 200 ns.

# delay RANK OPTION...: prints the delay of RANK in t.txt.
delay() {
    local rank=$1
    shift
    "$mpgsim" --per-rank --source=latency=200ns "$@" t.txt 2>&1 |
        awk -v rank="$rank" '$1 == rank { print $3 } /^mpgsim: [^a]/ { print }'
}

# chosen KEY... -- OPTION...: prints these numbers from the section "choice" of the JSON.
chosen() {
    local keys=
    while [ "$1" != -- ]; do
        keys="$keys $1"
        shift
    done
    shift
    "$mpgsim" --json --source=latency=200ns "$@" t.txt | tr -d '", ' |
        awk -F: -v keys="$keys" '/^choice/ { on = 1 } /^}/ { on = 0 } on { v[$1] = $2 }
            END { n = split(keys, k, " "); for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? " " : ""), v[k[i]] }'
}

# take NAME RANKS: writes t.txt, a trace of the calls on standard input, and checks that without perturbations no rank
# is delayed.
take() {
    calls "$2" >t.txt
    is "identity: $1" "$("$mpgsim" --per-rank --source=latency=200ns t.txt |
        awk 'NR > 1 && $3 != 0')" ""
    is "... in the order of the trace, too" "$("$mpgsim" --per-rank --without=choice t.txt |
        awk 'NR > 1 && $3 != 0')" ""
}

# runs OPTION...: prints the run times of t.txt with random noise, one for each replica.
runs() {
    "$mpgsim" --json --source=latency=200ns --noise=exp:4us "$@" t.txt | tr -d ' ,' |
        awk -F: '/^"replicas"/ { on = 1 } /^\]/ { on = 0 } on && /run_time_ns/ { print $2 }'
}
