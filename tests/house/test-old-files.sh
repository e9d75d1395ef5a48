#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of earlier versions (TAP): each file of tests/old, which an earlier mpgkit wrote, is read, with the numbers that the file
# holds; versions that are older or newer than docs/STABILITY.md promises end with one line.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
old=$here/../old
mpghistory=${top_builddir:-.}/history/mpghistory
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
has_python || skip_all "no python3"

# ---- signatures ----
cat >app.txt <<'T'
#mpgtext 1
#ranks 2
0 0 1000 Init
0 1500 1720 Send to=1 tag=7 bytes=0
0 9000 9100 Finalize
1 0 1000 Init
1 1400 1900 Recv from=0 tag=7 bytes=0
1 9000 9100 Finalize
T
# held FILE: prints the version, and the median of the first message size, from the file itself.
held() {
    "$PYTHON3" -c '
import json, sys
s = json.load(open(sys.argv[1]))
network = s["network"][0] if isinstance(s["network"], list) else s["network"]
first = network["latency"][0]["one_way_ns"]
quantiles = first["quantiles"]
steps = len(quantiles) - 1
probabilities = first.get("probabilities", [i / steps for i in range(steps + 1)])
print("%d.%d %.4g ns one way" % (*s["version"], quantiles[probabilities.index(0.5)]))' "$1"
}
for version in 1.0 2.0 3.0 4.0 4.3; do
    file=$old/signature-$version.sig
    shown=$("$SIGSHOW" --summary "$file" 2>&1 | sed -n 's/^Messages .*: \([0-9.]* ns one way\) .*/\1/p')
    is "signature $version: sigshow" "$version $shown" "$(held "$file")"
    "$MPGSIM" --cache=fresh --predict --source=none --signature="$file" app.txt >out 2>err
    is "... mpgsim predicts with it" "$? $(cat err)" "0 "
    "$SIGDIFF" "$file" "$file" >out 2>err
    is "... sigdiff finds it equal to itself" "$? $(cat err)" "0 "
done
sed 's/"version": \[4, 3\]/"version": [4, 99]/; s/"format"/"later": 1, "format"/' "$old/signature-4.3.sig" >minor.sig
is "a later minor version: its new keys are ignored" "$("$SIGSHOW" --summary minor.sig)" "$("$SIGSHOW" --summary "$old/signature-4.3.sig")"
sed 's/"version": \[4, 3\]/"version": [5, 0]/' "$old/signature-4.3.sig" >major.sig
like "a later major version" "$("$SIGSHOW" major.sig 2>&1)" "*major.sig: version is 5.0; this mpgkit reads versions 1 to 4*"

# ---- traces ----
is "trace 3" "$(od -An -tu1 -j8 -N1 "$old/trace-3.mpgt" | tr -d ' ') $("$MPGTRACE" print "$old/trace-3.mpgt")" "3 #mpgtext 1
#ranks 2
#fact 0 clocks shared
0 101841 102122 Init
#comm 0 = 0 1
0 105471 105522 Reduce comm=0 root=1 bytes=100
0 112786 113050 Recv_init comm=0 from=0 tag=3 bytes=65536 persistent=1
0 113300 113355 Issend comm=0 to=0 tag=3 bytes=65536 request=1
0 113533 124558 Recv comm=0 from=0 tag=3 bytes=65536
0 137455 137826 Waitall requests=1
0 137836 138133 Request_free persistent=1
0 138133 138275 Finalize
1 100859 100947 Init
1 100962 106197 Reduce comm=0 root=1 bytes=100
1 106342 106682 Sendrecv comm=0 to=null tag=3 bytes=65536 from=null recvtag=1 recvbytes=0
1 106729 106975 Iprobe comm=0 bytes=0 any=source,tag found=0
1 124942 125100 Finalize
#topology 0 0 = > 1
#topology 1 0 = 0 >"
is "trace 4, with sums of calls" "$(od -An -tu1 -j8 -N1 "$old/trace-4-sums.mpgt" | tr -d ' ') $("$MPGTRACE" print "$old/trace-4-sums.mpgt")" \
    "4 #mpgtext 1
#ranks 1
#died 0
0 1234 1234 Wtime calls=5 time=100 least=10 most=30"
is "trace 5, with time off the CPU" "$(od -An -tu1 -j8 -N1 "$old/trace-5.mpgt" | tr -d ' ') $("$MPGTRACE" print "$old/trace-5.mpgt")" "5 #mpgtext 1
#ranks 2
0 0 1000 Init
#comm 0 = 0 1
0 1500 1720 Send comm=0 to=1 tag=7 bytes=1024 off=500 off_call=220
0 1800 1900 Wtime off_call=7
0 2000 2000 Wtime calls=3 time=3 least=1 most=1 off=99
0 9000 9100 Finalize off=1
1 0 1000 Init off_call=1000
1 1400 1900 Recv comm=0 from=0 tag=7 bytes=1024 off=1
1 9000 9100 Finalize"
for version in 3 5; do
    "$MPGTRACE" print "$old/trace-$version.mpgt" >text.txt
    is "trace $version: mpgsim answers as for its text" "$("$MPGSIM" --cache=fresh --latency=const:10us "$old/trace-$version.mpgt" | sed 1d)" \
        "$("$MPGSIM" --cache=fresh --latency=const:10us text.txt | sed 1d)"
done
for version in 2 6; do
    { head -c 8 "$old/trace-5.mpgt"; printf "%b" "\\x0$version"; tail -c +10 "$old/trace-5.mpgt"; } >other.mpgt
    like "trace $version is refused" "$("$MPGTRACE" print other.mpgt 2>&1)" \
        "*: trace format version $version, this mpgkit reads versions 3 to 5: use the mpgkit that wrote it"
done

# ---- results ----
for version in 1 2; do
    mkdir results-$version
    cp "$old/results-$version.samples" results-$version/ftq-core0.samples
    "$SIGMAKE" results-$version >made.sig 2>err
    is "results $version: sigmake takes every quantum" "$? $(head -n 1 "$old/results-$version.samples") $("$PYTHON3" -c '
import json
lost = json.load(open("made.sig"))["noise"][0]["ftq"]["lost_ns"]
print(lost["n"], "%.6g" % lost["mean"])')" "0 #mpgresults $version $(awk '!/^#/ { s += $3; n++ } END { printf "%d %.6g", n, s / n }' "$old/results-$version.samples")"
done
sed 's/^#mpgresults 2/#mpgresults 3/' "$old/results-2.samples" >results-2/ftq-core0.samples
like "results 3 are refused" "$("$SIGMAKE" results-2 2>&1)" "*results version '3'; this mpgkit reads versions 1 to 2*"

# ---- histories ----
cp "$old/history-1.db" h.db
chmod u+w h.db
case $("$mpghistory" list --history=none 2>&1) in
*"without SQLite"*) skip "history 1" "built without SQLite" ;;
*)
    is "history 1: list" "$("$mpghistory" list --history=h.db | sed 1d)" \
        "     1  2026-11-30 20:42:40  0.2.0    mpgsim --perturb --latency=exp:10us --seed=3 waitany.txt"
    like "... show has the answer" "$("$mpghistory" show --history=h.db --answer 1)" "*median        134 ms  (95 % confidence: 134 ms to 134 ms)*"
    "$MPGSIM" --cache=fresh --latency=const:10us --history=h.db app.txt >out 2>err
    is "... this mpgkit adds to it" "$? $(cat err) $("$mpghistory" list --history=h.db | wc -l)" "0  3"
    cp "$old/history-2.db" h.db
    chmod u+w h.db
    is "history 2, with signatures: list" "$("$mpghistory" list --history=h.db | sed 1d)" \
        "     1  2026-11-30 20:42:40  0.2.0    mpgsim --perturb --latency=exp:10us --seed=3 waitany.txt"
    is "... the answer is that of history 1" "$("$mpghistory" show --history=h.db --answer 1)" \
        "$("$mpghistory" show --history="$old/history-1.db" --answer 1)"
    "$mpghistory" health --check --history=h.db >out 2>err
    like "... health: the fourth signature takes twice the time" "$? $(cat err) $(cat out)" \
        "3  *SLOWER than at first*slower*, median, x2 (*4  2026-11-25T09:43:10Z*"
    "$mpghistory" signature --history=h.db 4 -o four.sig
    is "... a signature's bytes" "$(wc -c <four.sig) $("$mpghistory" keep --history=h.db four.sig 2>&1)" \
        "6765 mpghistory keep: h.db: four.sig is kept already"
    "$mpghistory" keep --history=h.db "$old/signature-4.3.sig" >out 2>err
    is "... this mpgkit keeps a signature in it" "$? $(cat err) $(cat out)" "0  signature 5: vm, 2026-11-22T09:43:10Z"
    "$MPGSIM" --cache=fresh --latency=const:10us --history=h.db app.txt >out 2>err
    is "... and an answer" "$? $(cat err) $("$mpghistory" list --history=h.db | wc -l)" "0  3"
    ;;
esac

# ---- caches of minimum message times: never an error, never another answer ----
cp "$here/../../examples/silas/waitany.txt" .
cp "$old/cache-2.bin" waitany.txt.floors
"$MPGSIM" --perturb --latency=exp:10us --seed=3 waitany.txt >with 2>err
is "an earlier version's cache" "$? $(cat err)" "0 "
"$MPGSIM" --perturb --latency=exp:10us --seed=3 --cache=fresh waitany.txt >without
is "... does not change the answer" "$(cat with)" "$(cat without)"
done_testing
