# SPDX-License-Identifier: GPL-3.0-or-later
# For tests of what calls complete, to source: $mpgsim on the trace t.txt, in which a message's least
# flight is 200 ns.

# delay RANK OPTION...: of the rank of t.txt
delay() {
    local rank=$1
    shift
    "$mpgsim" --per-rank --source=latency=200ns "$@" t.txt 2>&1 |
        awk -v rank="$rank" '$1 == rank { print $3 } /^mpgsim: [^a]/ { print }'
}

# chosen KEY... -- OPTION...: numbers of the answer's choice
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

# take NAME RANKS: t.txt, of the calls on standard input, for which the identity must hold
take() {
    calls "$2" >t.txt
    is "identity: $1" "$("$mpgsim" --per-rank --source=latency=200ns t.txt |
        awk 'NR > 1 && $3 != 0')" ""
    is "... in the order of the trace, too" "$("$mpgsim" --per-rank --without=choice t.txt |
        awk 'NR > 1 && $3 != 0')" ""
}

# runs OPTION...: run times of the replicas of t.txt under random noise
runs() {
    "$mpgsim" --json --source=latency=200ns --noise=exp:4us "$@" t.txt | tr -d ' ,' |
        awk -F: '/^"replicas"/ { on = 1 } /^\]/ { on = 0 } on && /run_time_ns/ { print $2 }'
}
