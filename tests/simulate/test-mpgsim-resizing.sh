#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --hypothesis='resize ...' about messages and collectives (TAP): by hand, in both modes, and what is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/hypotheses.sh"

# A message of 1000 bytes once around three ranks, which all wait. Where l is 385 ns, rank 1 took 1900, 1.9 times what it
# takes by itself, and its message, sent as it began, 4.9 times l: that did not hold it up, and 1900 - 385 - 900 are absorbed.
absorbs=(--source=latency=0ns --source=byte=0.385ns)
ring
is "resize: twice the bytes, hop by hop" "$(delays "${there[@]}" --hypothesis='resize factor=2' ring.txt)" "1155 385 770"
is "... what each byte costs beyond, too" \
    "$(delays "${there[@]}" --byte=const:0.125ns --hypothesis='resize factor=2' ring.txt)" "1905 635 1270"
is "... where waiting absorbs it" "$(clocked "${absorbs[@]}" --hypothesis='resize factor=2' ring.txt)" "770 0 385"
is "... half the bytes: those who waited gain" \
    "$(clocked "${absorbs[@]}" --hypothesis='resize factor=0.5' ring.txt)" "-385 0 -192.5"
is "... to nothing" "$(clocked "${absorbs[@]}" --hypothesis='resize factor=0' ring.txt)" "-770 0 -385"
is "... to a size" "$(delays "${there[@]}" --hypothesis='resize from=1-2 bytes=1385' ring.txt)" "296.45 0 148.225"
is "... predicted" "$("$mpgsim" --json --predict "${target[@]}" --hypothesis='resize factor=2' ring.txt | numbers 1)" \
    "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:0.77ns ring.txt | numbers 1)"
# Above the limit the sender waits till it has arrived, and 650 ns more; T(A) = max(T(S_s) + 650, T(P)) + 770.
# All messages flew 865 ns longer than usual, so that nothing absorbs: rank 0's send ends at 3170, rank 1's, which begins
# at 3485, at 5555; what rank 2 sends leaves at 5870, arrives at 7290, where 6135 was.
is "... and wait, as such do" \
    "$(clocked "${there[@]}" --eager-limit=1000 --hypothesis='resize factor=2' ring.txt)" "1155 2355 2740"
is "... but without absolute times" \
    "$(delays "${there[@]}" --eager-limit=1000 --hypothesis='resize factor=2' ring.txt)" "1155 385 770"
# What a sender's Waitall took else, 4900 ns of nothing that is known, it takes with more bytes, too, unless it waits longer:
# T(A) = 1000 + 100 + d' / 2, 100 more till it knows.
calls 2 >grows.txt <<'T'
0 1000 1010 Isend to=1 tag=1 bytes=2048 request=1
0 2000 7000 Waitall requests=1
1 900 910 Irecv from=0 tag=1 bytes=65536 request=1
1 8500 8600 Waitall requests=1
T
grown=(--source=latency=100ns --source=byte=0.5ns --eager-limit=4096)
is "a message that grows beyond the eager limit adds to what its sender took" \
    "$(clocked "${grown[@]}" --hypothesis='resize bytes=4097' grows.txt), $(clocked "${grown[@]}" \
    --hypothesis='resize bytes=16384' grows.txt)" "0 0, $((1000 + 100 + 8192 + 100 - 7000)) $((1000 + 100 + 8192 - 8600))"
is "more bytes never make a rank earlier" "$("$python" "$here/larger.py" "$mpgsim" 20)" "200 pairs, 0 wrong"
# Collectives of 3: Alltoall n = 2 of 200 bytes, Bcast L = 2 of 600, Reduce 40, by callsite, region, size.
{
    printf '%s\n' '#mpgtext 1' '#ranks 3' '#clocks shared' '#comm 0 = 0 1 2' '#site 7 = ?+0x10' '#site 9 = ?+0x20'
    for rank in 0 1 2; do
        printf "$rank %s\n" '0 1000 Init' '1000 1000 Region_begin name="in"' \
            '1100 1500 Alltoall comm=0 bytes=100 site=7' '1500 1500 Region_end name="in"' \
            '2000 2500 Bcast comm=0 root=0 bytes=300 site=9' '3000 3500 Reduce comm=0 root=0 bytes=40 site=9' \
            '4000 4100 Finalize'
    done
} >coll.txt
for select in call=MPI_Alltoall site=0 region=in bytes=50-200 'comm=0 bytes=-200 call=Alltoall'; do
    is "resize $select" "$(delays "${there[@]}" --hypothesis="resize $select factor=2" coll.txt)" "77 77 77"
done
is "resize a Bcast, whose root a Reduce makes wait" \
    "$(delays "${there[@]}" --hypothesis='resize call=Bcast bytes=1000' coll.txt)" "539 539 539"
is "resize a Reduce" "$(delays "${there[@]}" --hypothesis='resize call=Reduce factor=3' coll.txt)" "30.8 0 0"
# By a signature's one-way times at the same u: twice the bytes cost what those of 1000 cost on a machine that has
# for these what the source has for 2000.
sizes() {
    local size comma=
    printf '{"format": "mpgkit-signature", "version": [4, 0], "header": {"host": "made up %s"}, "network": [' "$*"
    printf '{"path": "node", "eager_limit_bytes": 4096, "one_way": "one clock", "latency": ['
    for size; do
        printf '%s{"size_bytes": %s, "one_way_ns": {"n": 9, "mean": %s, "sd": 0, "lag1": 0, "quantiles": [%s, %s]}}' \
            "$comma" "${size%=*}" "$((2 * ${size#*=}))" "${size#*=}" "$((3 * ${size#*=}))"
        comma=,
    done
    echo ']}]}'
}
sizes 1000=4000 2000=8385 >source.sig
sizes 1000=8385 2000=10000 >target.sig
is "resize by the source's times at the message's u" \
    "$(delays --source=source.sig --seed=3 --hypothesis='resize factor=2' ring.txt)" \
    "$(delays --source=source.sig --perturb --signature=target.sig --seed=3 ring.txt)"
is "... of which replicas have their own" "$("$mpgsim" --json --source=source.sig --hypothesis='resize factor=2' ring.txt |
    "$python" -c 'import json, sys; print(len({one["run_time_ns"] for one in json.load(sys.stdin)["replicas"]}))')" 64
ok "a size in TiB" "$mpgsim" --predict "${target[@]}" --hypothesis='resize factor=2 bytes=-1TiB' -o out ring.txt

# --- refused hypotheses ---

# refused, lacks WORDS OPTION...: check that mpgsim refuses the options: wrong in themselves, or the trace lacks
# something.
refused() {
    ok "refused, $1: ${*:2}" refuses 2 "mpgsim: *$1*" "${@:2}" ring.txt
}
lacks() {
    ok "refused, $1: ${*:2}" refuses 1 "mpgsim: *$1*" "${@:2}" ring.txt
}
lacks "contradict each other" --predict "${target[@]}" --hypothesis='drop tag=5' --hypothesis='resize to=2 factor=2'
lacks "selects no message, collective or one-sided epoch of the trace" --predict "${target[@]}" --hypothesis='resize tag=6 factor=2'
lacks "rank 1, call 2 (MPI_Send): * contradict each other" --predict "${target[@]}" \
    --hypothesis='resize tag=5 factor=2' --hypothesis='resize from=1 bytes=1'
lacks "gives the time of a byte on the traced machine" --hypothesis='resize factor=2'
refused "factor= and bytes= are both given" --hypothesis='resize factor=2 bytes=7'
refused "the new size is missing: give factor= or bytes=" --hypothesis='resize tag=5'
refused "is not an MPI call" --hypothesis='resize call=Sond factor=2'
refused "messages are selected by the call that sends" --hypothesis='resize call=Recv factor=2'
refused "is empty" --hypothesis='resize bytes=9-8 factor=2'
lacks "there is no region 'x'" --predict "${target[@]}" --hypothesis='resize region=x factor=2'
lacks "there is no callsite 0" --predict "${target[@]}" --hypothesis='resize site=0 factor=2'
lacks "there is no rank 3" --predict "${target[@]}" --hypothesis='resize to=3 factor=2'
lacks "there is no communicator 4" --predict "${target[@]}" --hypothesis='resize comm=4 factor=2'
refused "this hypothesis changes messages or calls" --output-trace=never "${there[@]}" --hypothesis='resize factor=2'
ok "refused: an expanded collective, before anything is evaluated" refuses 1 "*a hypothesis resizes this collective: with --collectives=expand*" "${there[@]}" \
    --collectives=expand --hypothesis='resize call=Alltoall factor=2' coll.txt
done_testing
