#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgsim --hypothesis and --suppose about computation (TAP): by hand, at awkward values, in both modes; what
# is refused.
. "$(dirname "$0")/mpgsim.sh"
needs_python
. "$here/supposing.sh"

regions >r.txt
# Three ranks, two visits: 100, 0 (at its begin), 700 ns of work, then 311, 211, 111, in which rank 1's has a
# call of 50 ns within.
cat >v.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
#comm 1 of 0 = 0 2
0 0 1000 Init
0 1100 1100 Region_begin name="a b"
0 1200 1200 Region_end name="a b"
0 2000 2000 Region_begin name="a b"
0 2311 2311 Region_end name="a b"
0 2900 2910 Iprobe comm=1 from=1 tag=7 found=0
0 3000 3010 Finalize
1 0 1000 Init
1 1500 1500 Region_begin name="a b"
1 1500 1500 Region_end name="a b"
1 2000 2000 Region_begin name="a b"
1 2111 2161 Iprobe comm=0 from=2 tag=7 found=0
1 2261 2261 Region_end name="a b"
1 3100 3110 Finalize
2 0 1000 Init
2 1000 1000 Region_begin name="a b"
2 1700 1700 Region_end name="a b"
2 2000 2000 Region_begin name="a b"
2 2111 2111 Region_end name="a b"
2 3200 3210 Finalize
T
# --- the eager limit ---

# Nobody says which sends wait, and the trace has eight that did, of 64 bytes: 400 ns of work before each of their
# receives, which by 0.385 are 246 less, 1968 in all, for the sender, too.
late=()
for k in 2 4 6 8 10 12 14 16; do
    late+=("0 ${k}000 ${k}600 Send to=1 bytes=64" "1 ${k}100 ${k}100 Region_begin name=\"solve\""
           "1 ${k}500 ${k}500 Region_end name=\"solve\"" "1 ${k}500 ${k}600 Recv from=0 bytes=64")
done
less=(--suppose="scale solve factor=0.385")
limits() {
    "$mpgsim" "$@" | awk '$1 == "eager" { sub(/^ *eager limit */, ""); print }'
}
for sizes in 64 65; do
    calls 2 "#clocks shared" <<<"$(printf '%s\n' "${late[@]//bytes=64/bytes=$sizes}")" >late.txt
    is "sends of $sizes bytes wait as the trace shows" "$(clocked "${less[@]}" late.txt)" "-1968 -1968"
    is "... that limit is said" "$(limits "${less[@]}" late.txt)" \
        "$((sizes - 1)) bytes (nobody says it; the trace shows it): larger standard sends wait for their receiver"
done
is "a limit that is said holds" "$(clocked --carried=none --eager-limit=65 "${less[@]}" late.txt | cut -d' ' -f1)" 0
is "... not without hypotheses" "$(limits --noise=const:1us late.txt)" "unlimited: standard sends never wait for their receiver"
is "... nor where times are not compared" "$(limits --absorb=wait "${less[@]}" late.txt)" \
    "unlimited: standard sends never wait for their receiver"
calls 2 "#clocks shared" <<<"$(printf '%s\n' "${late[@]:0:28}")" >late.txt
is "seven that waited are not enough" "$(limits "${less[@]}" late.txt)" "unlimited: standard sends never wait for their receiver"
# --- scale ---

is "scale: what is in it, not what is in a region within" \
    "$(delays --suppose='scale solve factor=2' r.txt)" "497 3980"
is "... of some ranks" "$(delays --suppose='scale solve ranks=1 factor=0.385' r.txt)" "0 -2447.7"
is "... to nothing" "$(delays --suppose='scale solve factor=0' r.txt)" "-497 -3980"
is "... of two regions" \
    "$(delays --suppose='scale solve factor=2' --suppose='scale inner factor=1.5' r.txt)" "797 3980"
is "... on disjoint ranks" \
    "$(delays --suppose='scale solve ranks=0 factor=3' --suppose='scale solve ranks=1 factor=2' r.txt)" \
    "994 3980"
is "... times ratios of regions: 2 (1.5 - 1 of what was 2)" \
    "$(delays --compute-ratio=2@solve --suppose='scale solve factor=1.5' r.txt)" "1594 7960"
is "... predicted" "$(runs --suppose='scale solve factor=1.5' r.txt)" "4248.5 6110"
is "... predicted, with a ratio of all" "$(runs --compute-ratio=2 --suppose='scale inner factor=1.5' r.txt)" \
    "8600 8240"
is "... with noise: that of an interval is drawn as it was" \
    "$(delays --noise=const:11ns --suppose='scale solve factor=2' r.txt)" "519 4002"
is "... an interval takes no less than nothing" \
    "$(delays --noise=const:-3us --suppose='scale inner factor=0' r.txt)" "-3990 -4100"

# --- balance ---

is "balance: each visit becomes the mean, in all parts" "$(delays --suppose='balance solve' r.txt)" \
    "1741.5 -1741.5"
# means (100 + 0 + 700) / 3 = 266.667 and (311 + 211 + 111) / 3 = 211
is "balance: visit by visit, to who did nothing, too" "$(delays --suppose='balance "a b"' v.txt)" \
    "66.667 266.667 -333.333"
is "... the same in a file, with comments" "$(printf '%s\n' '# even' '' ' balance  "a b" by=instance # so' >f
    delays --hypothesis=f v.txt)" "66.667 266.667 -333.333"
is "... from standard input" "$(echo 'balance "a b"' | delays --hypothesis=- v.txt)" "66.667 266.667 -333.333"
is "... of a communicator's members" "$(delays --suppose='balance "a b" comm=1' v.txt)" "200 0 -200"
# W 411, 211, 811: 477.667
is "... by total" "$(delays --suppose='balance "a b" by=total' v.txt)" "66.667 266.667 -333.333"
is "... and scaled" "$(delays --suppose='balance "a b"' --suppose='scale "a b" factor=0.5' v.txt)" \
    "-172.167 27.833 -572.167"
is "... predicted" "$(runs --suppose='balance "a b"' v.txt)" "2066.667 2366.667 1866.667"
is "... predicted, on a machine half as fast" \
    "$(runs --compute-ratio=2 --suppose='balance "a b"' v.txt)" "4133.333 4733.333 3733.333"

# What the tracer took of a part is no work: 7 ns an event, half before it and half after; of rank 1's 3000 ns
# 14, though only one of their two parts is as long as that.
sed 's/^#comm 0 .*/&\n#fact 0 overhead_call_ns 7\n#fact 1 overhead_call_ns 7/' r.txt >o.txt
is "the tracer's part is not scaled" "$(delays --suppose='scale solve factor=2' o.txt)" \
    "$((393 + 90)) $((2986 + 973))"
# CPU time, where it is recorded, is what is balanced: 300 + 60 of 497, 3980 of 3980
awk '/^#ranks/ { print; print "#values cpu_ns"; next } /^#/ { print; next }
    { cpu = $2 - last[$1]; last[$1] = $3 }
    /Region_begin name="inner"/ { cpu = 300 }
    /0 3100 3100/ { cpu = 60 }
    { print $0, "values=" cpu }' r.txt >c.txt
is "CPU time is balanced: 360 and 3980 become 2170" "$(delays --suppose='balance solve' c.txt)" "1810 -1810"
is "... predicted: what is not CPU time is no work" "$(runs --suppose='scale solve factor=1.5' c.txt)" \
    "$(runs c.txt | awk '{ print $1 + 180, $2 + 1990 }')"

# Threads: of one number they visit together.
cat >t.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0.1 1100 1110 Iprobe comm=0 from=1 tag=7 found=0
0.1 1200 1200 Region_begin name="t"
0.1 1700 1700 Region_end name="t"
0.1 9000 9010 Iprobe comm=0 from=1 tag=7 found=0
0 9500 9510 Finalize
1 0 1000 Init
1.1 1100 1110 Iprobe comm=0 from=1 tag=7 found=0
1.1 1200 1200 Region_begin name="t"
1.1 1300 1300 Region_end name="t"
1.1 9000 9010 Iprobe comm=0 from=1 tag=7 found=0
1 9010 9020 Finalize
T
is "threads: what one gains waits for the others at the end" "$(delays --suppose='balance t' t.txt)" "0 200"
is "... by total: of all threads" "$(delays --suppose='balance t by=total' t.txt)" "0 200"
sed -i 's/^1.1/1/' t.txt
ok "... of other numbers have no partners" refuses 1 \
    "*rank 0 enters the region 1 time, rank 1 0 times (its thread 1)*" --suppose='balance t' t.txt

# --- resize ---

# A message of 1000 bytes once around three ranks. Of 1000 l is 1035 ns, so that of what arrives later rank 1 absorbs
# 865 ns, ranks 2 and 0, whose call took longer than the least, nothing.
cat >ring.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 1100 1200 Send comm=0 to=1 tag=5 bytes=1000
0 1300 9000 Recv comm=0 from=2 tag=5 bytes=1000
0 9100 9200 Finalize
1 0 1000 Init
1 1100 3000 Recv comm=0 from=0 tag=5 bytes=1000
1 3100 3200 Send comm=0 to=2 tag=5 bytes=1000
1 9100 9200 Finalize
2 0 1000 Init
2 1100 5000 Recv comm=0 from=1 tag=5 bytes=1000
2 5100 5200 Send comm=0 to=0 tag=5 bytes=1000
2 9100 9200 Finalize
T
there=(--source-latency=650ns --source-byte=0.385ns)
target=(--latency=const:7ns --byte=const:0.385ns)
is "resize: twice the bytes, hop by hop" "$(delays "${there[@]}" --suppose='resize factor=2' ring.txt)" "1155 385 770"
is "... what each byte costs beyond, too" \
    "$(delays "${there[@]}" --byte=const:0.125ns --suppose='resize factor=2' ring.txt)" "1905 635 1270"
is "... where waiting absorbs it" "$(clocked "${there[@]}" --suppose='resize factor=2' ring.txt)" "770 0 385"
is "... half the bytes: those who waited gain" \
    "$(clocked "${there[@]}" --suppose='resize factor=0.5' ring.txt)" "-385 0 -192.5"
is "... to nothing" "$(clocked "${there[@]}" --suppose='resize factor=0' ring.txt)" "-770 0 -385"
is "... to a size" "$(delays "${there[@]}" --suppose='resize from=1-2 bytes=1385' ring.txt)" "296.45 0 148.225"
is "... predicted" "$("$mpgsim" --json --predict "${target[@]}" --suppose='resize factor=2' ring.txt | numbers 1)" \
    "$("$mpgsim" --json --predict --latency=const:7ns --byte=const:0.77ns ring.txt | numbers 1)"
# Above the limit the sender waits till it has arrived, and 650 ns more; T(A) = max(T(S_s) + 650, T(P)) + 770.
# Rank 0's send ends at 3170, rank 1's, which begins at 3100, at 5170; what rank 2 sends leaves at 5485, arrives at
# 6905, where 6135 was.
is "... and wait, as such do" \
    "$(clocked "${there[@]}" --eager-limit=1000 --suppose='resize factor=2' ring.txt)" "770 1970 2355"
is "... but without absolute times" \
    "$(delays "${there[@]}" --eager-limit=1000 --suppose='resize factor=2' ring.txt)" "1155 385 770"
# What a sender's Waitall took else, 4900 ns of nothing that is known, it takes with more bytes, too, unless it waits longer:
# T(A) = 1000 + 100 + d' / 2, 100 more till it knows.
calls 2 >grows.txt <<'T'
0 1000 1010 Isend to=1 tag=1 bytes=2048 request=1
0 2000 7000 Waitall requests=1
1 900 910 Irecv from=0 tag=1 bytes=65536 request=1
1 8500 8600 Waitall requests=1
T
grown=(--source-latency=100ns --source-byte=0.5ns --eager-limit=4096)
is "a message that grows beyond the eager limit adds to what its sender took" \
    "$(clocked "${grown[@]}" --suppose='resize bytes=4097' grows.txt), $(clocked "${grown[@]}" \
    --suppose='resize bytes=16384' grows.txt)" "0 0, $((1000 + 100 + 8192 + 100 - 7000)) $((1000 + 100 + 8192 - 8600))"
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
    is "resize $select" "$(delays "${there[@]}" --suppose="resize $select factor=2" coll.txt)" "77 77 77"
done
is "resize a Bcast, whose root a Reduce makes wait" \
    "$(delays "${there[@]}" --suppose='resize call=Bcast bytes=1000' coll.txt)" "539 539 539"
is "resize a Reduce" "$(delays "${there[@]}" --suppose='resize call=Reduce factor=3' coll.txt)" "30.8 0 0"
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
    "$(delays --source=source.sig --seed=3 --suppose='resize factor=2' ring.txt)" \
    "$(delays --source=source.sig --signature=target.sig --seed=3 ring.txt)"
is "... of which replicas have their own" "$("$mpgsim" --json --source=source.sig --suppose='resize factor=2' ring.txt |
    "$python" -c 'import json, sys; print(len({one["run_time_ns"] for one in json.load(sys.stdin)["replicas"]}))')" 64

# --- drop ---

cat >bar.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 220 260 Barrier comm=0
0 300 310 Isend comm=0 to=1 tag=1 bytes=8 request=1
0 320 331 Irecv comm=0 from=1 tag=2 bytes=8 request=2
0 350 380 Waitall requests=1,2
0 381 383 Iprobe comm=0 from=1 tag=9 found=0
0 385 395 Iallreduce comm=0 bytes=8 request=3
0 400 450 Wait requests=3
0 500 510 Finalize
1 0 100 Init
1 120 260 Barrier comm=0
1 300 312 Irecv comm=0 from=0 tag=1 bytes=8 request=1
1 315 340 Send comm=0 to=0 tag=2 bytes=8
1 345 349 Test requests=1 done=
1 350 380 Wait requests=1
1 385 395 Iallreduce comm=0 bytes=8 request=2
1 400 450 Wait requests=2
1 500 510 Finalize
T
is "drop a barrier: who waited gains, till it waits elsewhere" \
    "$(delays --suppose='drop call=Barrier' bar.txt)" "-40 -40"
# rank 0: Isend 10, Irecv 11, Waitall 30; rank 1: Irecv 12, Send 25, a Test that failed 4, Wait 30
is "drop all messages: what posts, waits for and asks for them alone" \
    "$(delays --suppose='drop from=0-1' --suppose='drop call=Iallreduce' bar.txt)" "$((-10 - 11 - 30 - 60)) $((-12 - 25 - 4 - 30 - 60))"
# rank 0's Waitall has another request; then the slower one of both
is "drop some: what waits for others, too, keeps its floor" "$(delays --suppose='drop tag=1' bar.txt)" "-10 -10"
is "drop all: computation is left" "$("$mpgsim" --json --predict "${target[@]}" --suppose=drop bar.txt | numbers 1)" \
    "$((120 + 40 + 10 + 19 + 1 + 2 + 5 + 50)) $((20 + 40 + 3 + 5 + 1 + 5 + 5 + 50))"
like "drop them all: what floors are for is said" "$("$mpgsim" --absorb=clock "${there[@]}" --suppose='drop from=0-2' ring.txt)" \
    "*without effect: hypotheses drop all messages and collectives*"
ok "a size in TiB" "$mpgsim" --predict "${target[@]}" --suppose='resize factor=2 bytes=-1TiB' -o out ring.txt
is "drop one message of a ring: rank 1's gain is nobody's" "$(delays --suppose='drop to=1' ring.txt)" "0 -1900 0"
sed 's/^0 220/0 110 110 Region_begin name="x"\n&/' bar.txt >half.txt
ok "refused: nothing is dropped by halves" refuses 1 "mpgsim: half.txt: rank 1, call 1 (MPI_Barrier): nothing is dropped by \
halves: 'drop region=x call=Barrier' drops what rank 0 does in call 1 for this collective, but not this" "${target[@]}" --predict --suppose='drop region=x call=Barrier' half.txt
# A Waitany that took the dropped message has nothing to choose, and takes 1000 ns, the least of those in the trace;
# the next waits till 8200.
cat >any.txt <<'T'
#mpgtext 1
#ranks 3
#clocks shared
#comm 0 = 0 1 2
0 0 1000 Init
0 1100 1150 Irecv comm=0 from=1 tag=1 bytes=8 request=1
0 1200 1250 Irecv comm=0 from=2 tag=1 bytes=8 request=2
0 1300 5200 Waitany requests=1,2 done=1
0 8200 9200 Waitany requests=2
0 12200 12300 Finalize
1 0 1000 Init
1 5000 5100 Send comm=0 to=0 tag=1 bytes=8
1 12200 12300 Finalize
2 0 1000 Init
2 9000 9100 Send comm=0 to=0 tag=1 bytes=8
2 12200 12300 Finalize
T
is "drop what a Waitany took: it keeps its floor, the next waits" \
    "$("$mpgsim" --json --predict --latency=const:200ns --suppose='drop from=1' any.txt | numbers 1)" "11200 11100 11200"

# A rank of two threads: thread 0's next call with a request is read while it is in its Waitall, as thread 1 goes on.
# Dropped: its Irecv (100), and, as thread 1 began in the Waitall and is last, thread 1's Recv (6400).
cat >threads.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0 2000 2100 Irecv comm=0 from=1 tag=5 bytes=8 request=1
0 2200 9000 Waitall requests=1
0 9010 9020 Irecv comm=0 from=1 tag=7 bytes=8 request=3
0 9030 9040 Wait requests=3
0.1 2500 8900 Recv comm=0 from=1 tag=5 bytes=8
0 9100 9200 Finalize
1 0 1000 Init
1 1100 1200 Send comm=0 to=0 tag=7 bytes=8
1 1300 1400 Send comm=0 to=0 tag=5 bytes=8
1 1500 1600 Send comm=0 to=0 tag=5 bytes=8
1 1700 1800 Finalize
T
is "drop what a rank of two threads waits for" "$(clocked --suppose='drop tag=5' threads.txt)" "-6500 -200"

# One Startall of two receives, of which one is of what is dropped, and tests of each before it is sent.
cat >start.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 110 115 Recv_init comm=0 from=1 tag=1 bytes=8 persistent=1
0 120 125 Recv_init comm=0 from=1 tag=2 bytes=8 persistent=2
0 130 147 Startall persistent=1,2 requests=1,2
0 150 163 Test requests=2 done=
0 170 181 Test requests=1 done=
0 900 919 Waitall requests=1,2
0 1000 1010 Finalize
1 0 100 Init
1 700 723 Send comm=0 to=0 tag=1 bytes=8
1 800 829 Send comm=0 to=0 tag=2 bytes=8
1 1000 1010 Finalize
T
is "drop one of what a Startall posts: it takes its time, and a test of the other" \
    "$(delays --suppose='drop tag=1' start.txt)" "-11 -23"
is "... the other one: the Waitall has the first one when it came" "$(delays --suppose='drop tag=2' start.txt)" "0 -29"
is "... both" "$(delays --suppose='drop from=1' start.txt)" \
    "$((-17 - 13 - 11 - 19)) $((-23 - 29))"
# The same where the other is a partitioned receive, which no hypothesis is about.
sed 's/Recv_init comm=0 from=1 tag=2 bytes=8/Precv_init comm=0 from=1 tag=2 bytes=8 partitions=1/
    s/^1 800 829 Send.*/1 750 751 Psend_init comm=0 to=0 tag=2 bytes=8 partitions=1 persistent=9\
1 760 761 Start persistent=9 requests=9\
1 800 829 Pready request=9 ready=0\
1 840 850 Wait requests=9/' \
    start.txt >part.txt
is "... of a partitioned one" "$(delays --suppose='drop tag=1' part.txt)" "-11 -23"
# An Isendrecv that receives nothing is about what it sends.
cat >both.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 200 211 Isendrecv comm=0 to=1 tag=1 bytes=8 from=null recvtag=2 recvbytes=8 request=1
0 220 233 Test requests=1 done=
0 240 261 Wait requests=1
0 1000 1010 Finalize
1 0 100 Init
1 500 517 Recv comm=0 from=0 tag=1 bytes=8
1 1000 1010 Finalize
T
is "drop what an Isendrecv sends that receives nothing" "$(delays --suppose='drop tag=1' both.txt)" \
    "$((-11 - 13 - 21)) -17"

# --- shares ---

# The barrier is whole with both; the Iallreduces take 10 and 50 by themselves.
sed 's/^0 220/0 110 110 Region_begin name="x"\n&/; s/^0 300/0 270 270 Region_end name="x"\n&/
    s/^1 120/1 110 110 Region_begin name="y"\n&/; s/^1 300/1 270 270 Region_end name="y"\n&/' bar.txt >sides.txt
sides=(--suppose='drop region=x call=Barrier' --suppose='drop call=Iallreduce' --suppose='drop region=y')
is "dropped by two hypotheses together: neither has a share, what else is supposed does" \
    "$("$mpgsim" --json --absorb=none "${sides[@]}" sides.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["hypotheses"]
print(answer["together"]["change_ns"]["median"], *(
    one[key] and one[key]["change_ns"]["median"] for one in answer["each"] for key in ("alone", "on_top")))')" \
    "-100.0 None None -60.0 -60.0 None None"
"$mpgsim" --absorb=none "${sides[@]}" sides.txt >text
is "... in words, last" \
    "$(sed -n '/^Supposed/,/^$/p' text | grep -E '^  (drop|  alone)' | tr -s ' ' | cut -d ' ' -f 1-5 | tr '\n' '|')" \
    " drop call=Iallreduce| alone -60 ns -15.00|\
 drop region=x call=Barrier| alone no share: a| drop region=y| alone no share: a|"

# foo: 120, 20; they wait for each other at a barrier, after which the calls' leaves are 1 ns before bar: 30, 90.
cat >s.txt <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 100 Init
0 100 100 Region_begin name="foo"
0 220 220 Region_end name="foo"
0 220 260 Barrier comm=0
0 261 261 Region_begin name="bar"
0 291 291 Region_end name="bar"
0 291 300 Finalize
1 0 100 Init
1 100 100 Region_begin name="foo"
1 120 120 Region_end name="foo"
1 120 260 Barrier comm=0
1 261 261 Region_begin name="bar"
1 351 351 Region_end name="bar"
1 351 360 Finalize
T
shares() {
    "$mpgsim" --json --predict --latency=const:0ns "$@" s.txt | "$python" -c '
import json, sys
answer = json.load(sys.stdin)["hypotheses"]
print(answer["without_any_ns"]["median"], answer["together"]["change_ns"]["median"], *(
    one[key]["change_ns"]["median"] for one in answer["each"] for key in ("alone", "on_top")))'
}
is "what each does alone, and on top of the other" \
    "$(shares --suppose='scale foo factor=0.5' --suppose='scale bar factor=0.5')" \
    "211.0 -105.0 -60.0 -60.0 -45.0 -45.0"
is "... where one hides behind the other" \
    "$(shares --suppose='scale foo ranks=0 factor=0' --suppose='scale foo ranks=1 factor=5')" \
    "211.0 -20.0 -100.0 -20.0 0.0 80.0"
is "... of one" "$(shares --suppose='balance foo')" "211.0 -50.0 -50.0 -50.0"
"$mpgsim" --predict --latency=const:0ns --suppose='scale bar factor=0.5' --suppose='scale foo factor=0.5' s.txt >text
is "... what shortens the run most comes first" "$(sed -n '/^Supposed/,/^$/p' text | tr -s ' ' | tr '\n' '|')" \
    "Supposed, and what it changes of the run time, median over replicas| without any of it 211 ns| all of it|\
 together -105 ns -49.76 %| scale foo factor=0.5| alone -60 ns -28.44 %| on top of all others -60 ns -28.44 %|\
 scale bar factor=0.5| alone -45 ns -21.33 %| on top of all others -45 ns -21.33 %||"

# without HYPOTHESIS OPTION...: what the run is without it, is what it is if nothing is supposed, all of it
without() {
    "$mpgsim" --json "${@:2}" 2>/dev/null | "$python" -c '
import json, sys; print(json.load(sys.stdin)["run_time_ns"])' >plain
    "$mpgsim" --json --suppose="$1" "${@:2}" 2>/dev/null | "$python" -c '
import json, sys
one = json.load(sys.stdin)["hypotheses"]["without_any_ns"]
one["median_confidence_95"] = None
print(one)' >none
    sed "s/'median_confidence_95': \[.*\]/'median_confidence_95': None/" plain >all
    ok "without any: the run of nothing supposed: $*" cmp all none
}
without 'balance "a b"' --signature="$reference" --replicas=9 v.txt
without 'balance "a b"' --signature="$reference" --replicas=9 --predict v.txt
without 'resize factor=2' --noise=exp:1us --replicas=9 "${there[@]}" ring.txt
without 'drop tag=5' --signature="$reference" --replicas=9 ring.txt

# --- with all else ---

"$mpgsim" --floors=fresh --json --signature="$reference" r.txt >plain 2>/dev/null
"$mpgsim" --json --suppose='scale solve factor=1' --signature="$reference" r.txt >one 2>/dev/null
times_of() {
    "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["run_time_ns"])' "$1"
}
is "a factor of 1 changes nothing, with a machine's noise" "$(times_of one)" "$(times_of plain)"
is "a sweep: each point with what is supposed" \
    "$("$mpgsim" --absorb=none --json --suppose='scale solve factor=2' --sweep=noise=0ns,11ns,20ns r.txt | "$python" -c '
import json, sys
print(*(round(row["run_time_ns"]["median"]) for row in json.load(sys.stdin)["rows"]))')" \
    "8100 8122 8140"
is "threads change nothing" \
    "$("$mpgsim" --threads=3 --noise=exp:1us --suppose='balance "a b"' --json v.txt 2>/dev/null | md5sum)" \
    "$("$mpgsim" --threads=1 --noise=exp:1us --suppose='balance "a b"' --json v.txt 2>/dev/null | md5sum)"
"$mpgsim" --absorb=none --suppose='balance solve' --output-trace=written r.txt >/dev/null
is "the trace with it: its run is the supposed one" \
    "$("$mpgsim" --json written | "$python" -c '
import json, sys
print(*(rank["traced_ns"] for rank in json.load(sys.stdin)["ranks"]))')" "5742 2378"
# Marks follow: of 3000 the region's 1000 takes four times as long.
cat >m.txt <<'T'
#mpgtext 1
#ranks 1
#clocks shared
#comm 0 = 0
0 0 0 Init
0 400 450 Comm_rank
0 1000 1000 Region_begin name="R"
0 1250 1300 Comm_rank
0 2000 2000 Region_end name="R"
0 3000 3010 Iprobe comm=0 from=0 tag=7 found=0
0 3100 3110 Finalize
T
# marks OPTION... TRACE: of what is written, enters, leaves and names of all but Init
marks() {
    rm -rf marks.trace
    "$mpgsim" --output-trace=marks.trace "$@" >/dev/null
    "$mpgtrace" print marks.trace | awk '/^[0-9]/ && !/Init/ { printf "%s%s %s %s", comma, $1, $2, $4; comma = ", " }'
}
is "marks in it are where what is computed before them ends" "$(marks --suppose='scale R factor=4' m.txt)" \
    "0 400 Comm_rank, 0 1000 Region_begin, 0 2000 Comm_rank, 0 5000 Region_end, 0 6000 Iprobe, 0 6100 Finalize"
is "... of nothing" "$(marks --suppose='scale R factor=0' m.txt)" \
    "0 400 Comm_rank, 0 1000 Region_begin, 0 1000 Comm_rank, 0 1000 Region_end, 0 2000 Iprobe, 0 2100 Finalize"
is "... noise is in proportion: 600 of 6000" "$(marks --noise=const:600ns --suppose='scale R factor=4' m.txt)" \
    "0 440 Comm_rank, 0 1100 Region_begin, 0 2200 Comm_rank, 0 5500 Region_end, 0 6600 Iprobe, 0 7300 Finalize"
is "... predicted, on a machine half as fast" \
    "$(marks --predict --latency=const:0ns --polling=work --compute-ratio=2 --suppose='scale R factor=4' m.txt | sed 's/Iprobe.*/.../')" \
    "0 800 Comm_rank, 0 2000 Region_begin, 0 4000 Comm_rank, 0 10000 Region_end, 0 12000 ..."
is "... balanced visits last as long as each other: 266.667 and 211" "$(marks --suppose='balance "a b"' v.txt | tr ',' '\n' |
    awk '/begin/ { at[$1] = $2 } /end/ { printf "%s%s", comma, $2 - at[$1]; comma = " " }')" "267 211 267 261 267 211"
"$mpgsim" --absorb=none --suppose='scale R factor=4' --output-trace=times4 m.txt >/dev/null
is "... so that the contrary, of what is read again, is what was traced" \
    "$(delays --suppose='scale R factor=0.25' times4)" "-3000"
# CPU time, too: 250 of the 1000 in R, 300 of the others; predicted it is what is computed.
awk '/^#ranks/ { print; print "#values cpu_ns"; next } /^#/ { print; next }
    { cpu = 0 } /Region_begin/ { cpu = 200 } /1250/ { cpu = 50 } /Region_end/ { cpu = 200 } /Iprobe/ { cpu = 100 }
    { print $0, "values=" cpu }' m.txt >mc.txt
is "... by CPU time, where that is what is computed" \
    "$(marks --predict --latency=const:0ns --polling=work --suppose='scale R factor=4' mc.txt | sed 's/Iprobe.*/.../')" \
    "0 80 Comm_rank, 0 200 Region_begin, 0 450 Comm_rank, 0 1200 Region_end, 0 1300 ..."
is "... which the marks have their part of" "$("$mpgtrace" print marks.trace | awk '/values=/ { print $NF }' | tr '\n' ' ')" \
    "values=0 values=80 values=120 values=250 values=750 values=100 values=0 "
cp r.txt twice.txt
"$mpgsim" twice.txt >first && "$mpgsim" --suppose='balance solve' twice.txt >/dev/null &&
    "$mpgsim" twice.txt >second
ok "what is kept beside a trace is not changed by it" cmp first second

name=$(printf 'caf\351')
echo 'balance solve' >"$name"
is "a file whose name is not UTF-8" "$("$mpgsim" --json --absorb=none --hypothesis="$name" r.txt | "$python" -c '
import json, sys
print(*(one["where"] for one in json.load(sys.stdin)["hypotheses"]["each"]))')" 'caf\xe9:1'

# --- what is refused ---

# refused_as STATUS WORDS HYPOTHESIS...: of v.txt; refused: by itself, lacks: as the trace has no such thing
refused_as() {
    local words=() one
    for one in "${@:3}"; do
        words+=("--suppose=$one")
    done
    ok "refused, $2: ${*:3}" refuses "$1" "mpgsim: *$2*" "${words[@]}" v.txt
}
refused() {
    refused_as 2 "$@"
}
lacks() {
    refused_as 1 "$@"
}
refused "is not scale, balance, drop or resize" "shrink foo"
refused "there is no hypothesis" " "
refused "factor= is missing" "scale foo"
refused "a region is missing" "balance"
refused "neither 0 nor a number" "scale foo factor=-1"
refused "neither 0 nor a number" "scale foo factor=1e10"
refused "scale has no by=" "scale foo by=total"
refused "is given twice" "balance foo" "balance foo"
refused "bytes=-1 selects what has no more than that" "resize bytes=-1"
refused "is not KEY=VALUE" "balance foo total"
refused "by=most is not by=instance or by=total" "balance foo by=most"
refused "factor= is given twice" "scale foo factor=1 factor=2"
refused "closing double quote" 'balance "foo'
refused "is no number" "balance foo comm=x"
refused "is not a list of ranks" "scale foo ranks=x factor=2"
lacks "there is no region 'foo' in the trace" "balance foo"
lacks "there is no rank 3" 'scale "a b" ranks=1-3 factor=2'
lacks "there is no communicator 7" 'balance "a b" comm=7'
refused "both scale it on the same ranks" 'scale "a b" factor=2' 'scale "a b" ranks=1 factor=3'
refused "both balance it among the same ranks" 'balance "a b"' 'balance "a b" by=total'
lacks "it contradicts" 'balance "a b" comm=0' 'balance "a b" comm=1'
refused "it is not balanced if some ranks" 'balance "a b"' 'scale "a b" ranks=1 factor=3'
sed 's/^1 1500 1500 Region.*//; s/^1 2111 2161/1 2000 2161/; s/^1 2261 2261/1 2161 2161/' v.txt >u.txt
ok "refused: visits that differ in number" refuses 1 \
    "mpgsim: 'balance \"a b\"': rank 0 enters the region 2 times, rank 1 1 time: *" --suppose='balance "a b"' u.txt
ok "refused: nothing that by=total could multiply" refuses 1 "*: rank 1 has no computation in the region *" \
    --suppose='balance "a b" by=total' u.txt
ok "refused: none of these ranks has any" refuses 1 "*: there is no computation in 'a b'" \
    --suppose='scale "a b" ranks=1 factor=2' u.txt
ok "refused: none of these ranks enters it" refuses 1 "*: none of these ranks enters 'inner'" \
    --suppose='scale inner ranks=1 factor=2' r.txt
printf 'balance solve\n\nscale inner factor=x # so\n' >bad
ok "a bad file: its name and line" refuses 2 "mpgsim: --hypothesis: bad:3: factor=x is neither *" --hypothesis=bad r.txt
printf 'balance solve\nscale inner factor=2\nbalance nowhere\n' >bad
ok "... where the trace does not have it" refuses 1 "mpgsim: bad:3: 'balance nowhere': there is no region *" \
    --hypothesis=bad r.txt
printf 'balance solve\n' >bad
ok "... given twice" refuses 2 "mpgsim: bad:1: 'balance solve' is given twice, first as bad:1*" --hypothesis=bad \
    --hypothesis=bad r.txt
printf '# nothing\n' >bad
ok "... without any" refuses 2 "*bad: there is no hypothesis in it*" --hypothesis=bad r.txt
ok "... that is not there" refuses 2 "*nowhere: No such file*" --hypothesis=nowhere r.txt
for i in $(seq 65); do echo "scale solve ranks=$i factor=2"; done >bad
ok "... of too many" refuses 2 "*bad:65: there are more than 64 hypotheses*" --hypothesis=bad r.txt
# refused_ring, lacks_ring WORDS OPTION...
refused_ring() {
    ok "refused, $1: ${*:2}" refuses 2 "mpgsim: *$1*" "${@:2}" ring.txt
}
lacks_ring() {
    ok "refused, $1: ${*:2}" refuses 1 "mpgsim: *$1*" "${@:2}" ring.txt
}
refused_ring "exclude each other: a call that is not made has no parts" --granularity=2 --suppose='drop tag=5'
lacks_ring "contradict each other" --predict "${target[@]}" --suppose='drop tag=5' --suppose='resize to=2 factor=2'
refused_ring "drop has no factor=" --suppose='drop factor=0'
refused_ring "bytes=5 is not LO-HI" --suppose='drop bytes=5'
lacks_ring "has no message, collective or epoch of a window that it is about" --predict "${target[@]}" --suppose='resize tag=6 factor=2'
lacks_ring "rank 1, call 2 (MPI_Send): * contradict each other" --predict "${target[@]}" \
    --suppose='resize tag=5 factor=2' --suppose='resize from=1 bytes=1'
lacks_ring "says what bytes cost on the traced machine" --suppose='resize factor=2'
refused_ring "factor= and bytes= are both given" --suppose='resize factor=2 bytes=7'
refused_ring "neither factor= nor bytes=" --suppose='resize tag=5'
refused_ring "is no call of MPI" --suppose='resize call=Sond factor=2'
refused_ring "messages are selected by the call that sends" --suppose='resize call=Recv factor=2'
refused_ring "is empty" --suppose='resize bytes=9-8 factor=2'
lacks_ring "there is no region 'x'" --predict "${target[@]}" --suppose='resize region=x factor=2'
lacks_ring "there is no callsite 0" --predict "${target[@]}" --suppose='resize site=0 factor=2'
lacks_ring "there is no rank 3" --predict "${target[@]}" --suppose='resize to=3 factor=2'
lacks_ring "there is no communicator 4" --predict "${target[@]}" --suppose='resize comm=4 factor=2'
refused_ring "written with all that was sent" --output-trace=never "${there[@]}" --suppose='resize factor=2'
ok "refused: an expanded collective, before anything is evaluated" refuses 1 "*it is resized: --collectives=expand*" "${there[@]}" \
    --collectives=expand --suppose='resize call=Alltoall factor=2' coll.txt
done_testing
