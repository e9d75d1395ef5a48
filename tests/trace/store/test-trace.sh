#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace print, import and stat (TAP): the text form and the native form are
# exact inverses, and every error is one line that names its place.
set -u
here=$(dirname "$0")
build=${top_builddir:-.}
. "$here/../../tap.sh"
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
[ -x "$MPGTRACE" ] || skip_all "no mpgtrace"
python3=${PYTHON3:-python3}
tmp=$(mktemp -d) || exit 1
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp"' EXIT
export TMPDIR=$tmp

. "$here/../text/text.sh"

cat >"$tmp/hand.txt" <<'EOF'
#mpgtext 1
#ranks 4
#clocks shared
#host 0 first host
#fact 0 program app --with arguments
#fact 0 date 
#host 1 other
#clock 1 -500 -320
#clock 1 9000 -310
#fact 3 untraced MPI_Wtime 3
0 -10 0 Init
#comm 0 = 0 1 2 3
0 0 0 Ssend comm=0 to=1 tag=-7 bytes=0
0 1 2 Bsend comm=0 to=null tag=0 bytes=2305843009213693951
0 3 4 Recv comm=0 from=2 tag=7 bytes=9 any=source
0 3000000000000 3000000000001 Recv comm=0 from=null tag=7 bytes=0
0 3000000000002 3000000000003 Sendrecv comm=0 to=1 tag=1 bytes=2 from=3 recvtag=4 recvbytes=5 any=source,tag
0 3000000000004 3000000000005 Sendrecv_replace comm=0 to=null tag=1 bytes=2 from=null recvtag=4 recvbytes=0
0 3000000000006 3000000000006 Isend comm=0 to=1 tag=3 bytes=4 request=9
0 3000000000006 3000000000006 Irecv comm=0 from=1 tag=3 bytes=4 request=3
0 3000000000006 3000000000006 Irecv comm=0 from=1 tag=4 bytes=4 any=source,tag request=1000000
0 3000000000006 3000000000006 Irecv comm=0 bytes=4 any=source,tag request=1
0 3000000000006 3000000000006 Irecv comm=0 from=2 bytes=4 any=tag request=2
0 3000000000006 3000000000006 Irecv comm=0 tag=6 bytes=4 any=source request=4
0 3000000000006 3000000000006 Irecv comm=0 from=null tag=0 bytes=4 request=5
0 3000000000007 3000000000008 Test requests=9 done=
0 3000000000008 3000000000008 Cancel request=1
0 3000000000008 3000000000008 Waitsome requests=5,9,3,1 done=3,1 cancelled=1
0 3000000000008 3000000000008 Waitall requests=5,9,1000000
0 3000000000008 3000000000008 Wait requests=
0 3000000000008 3000000000008 Request_free request=2
0 3000000000009 3000000000010 Testany requests=4 done=
0 3000000000011 3000000000012 Probe comm=0 from=1 tag=2 bytes=3 any=source,tag
0 3000000000012 3000000000012 Iprobe comm=0 bytes=0 any=source,tag found=0
0 3000000000012 3000000000012 Iprobe comm=0 from=1 tag=2 bytes=0 found=0
0 3000000000013 3000000000013 Recv_init comm=0 bytes=8 any=source,tag persistent=2
0 3000000000013 3000000000013 Recv_init comm=0 from=1 tag=1 bytes=8 persistent=1
0 3000000000013 3000000000013 Send_init comm=0 to=1 tag=1 bytes=8 persistent=3
0 3000000000013 3000000000013 Rsend_init comm=0 to=null tag=1 bytes=8 persistent=8
0 3000000000014 3000000000014 Start persistent=2 requests=20 matched=20:3:5
0 3000000000014 3000000000014 Startall persistent=1,3 requests=21,22
0 3000000000014 3000000000014 Waitall requests=20,21,22
0 3000000000014 3000000000014 Startall persistent=3,2 requests=24,23
0 3000000000014 3000000000014 Cancel request=23
0 3000000000014 3000000000014 Waitall requests=24,23 cancelled=23
0 3000000000015 3000000000015 Request_free persistent=2
#comm 7 = 0 1 2 3
0 3000000000016 3000000000016 Comm_dup comm=0 newcomm=7
0 3000000000016 3000000000016 Comm_split comm=0 newcomm=null
#comm 1 = 1 0
#comm 5 = 0 1 | 2 3
0 3000000000016 3000000000016 Intercomm_create comm=1 newcomm=5
0 3000000000016 3000000000016 Bcast comm=5 root=root bytes=4
0 3000000000016 3000000000016 Barrier comm=7
0 3000000000016 3000000000016 Scatterv comm=7 root=0 bytes=1,0,3,4
0 3000000000016 3000000000016 Alltoallv comm=7 bytes=0,0,0,4
0 3000000000016 3000000000016 Gather comm=1 root=1 bytes=8
0 3000000000016 3000000000016 Comm_free comm=5
0 3000000000017 3000000000018 Finalize
1 0 0 Init_thread
1 1 2 Bcast comm=5 root=null bytes=4
1 3 4 Allgatherv comm=1 bytes=3
1 4 4 Exscan comm=1 bytes=3
2 5 6 Send comm=5 to=1 tag=0 bytes=3
2 6 6 Bcast comm=5 root=0 bytes=4
#comm 9 = 3
EOF
inverse "by hand" "$tmp/hand.txt"
grep -v '^#clocks' "$tmp/hand.txt" >"$tmp/unshared.txt"
ok "without #clocks shared" prints "$tmp/unshared.txt" "$tmp/unshared.txt"

# Definitions at the ends of chunks, shapes beyond the limit, many chunks.
awk 'BEGIN {
    print "#mpgtext 1\n#ranks 2\n#comm 0 = 0 1"
    for (i = 1; i < 4000; i++)
        printf "#comm %d = 1 0\n0 %d %d Comm_dup comm=0 newcomm=%d\n", i, 10 * i, 10 * i + 5, i
    for (i = 0; i < 80000; i++)
        printf "0 %d %d Send comm=0 to=1 tag=%d bytes=%d\n", 1e6 + i, 1e6 + i, i % 40000, i % 40000
}' >"$tmp/long.txt"
ok "many communicators and shapes" prints "$tmp/long.txt" "$tmp/long.txt"

printf '#mpgtext 1\n# a comment\n#ranks 2\n\n#clocks shared \n0 1 2 Init\r\n0\t3 4 Send to=1 bytes=1 \n0 5 6 Recv from=1 bytes=1\n1 7 8 Bcast\n' >"$tmp/sloppy.txt"
printf '#mpgtext 1\n#ranks 2\n#clocks shared\n#comm 0 = 0 1\n0 1 2 Init\n0 3 4 Send comm=0 to=1 tag=0 bytes=1\n0 5 6 Recv comm=0 from=1 tag=0 bytes=1\n1 7 8 Bcast comm=0 root=0 bytes=0\n' >"$tmp/neat.txt"
"$MPGTRACE" print "$tmp/sloppy.txt" >"$tmp/out"
ok "comments, blanks, defaults" grep -q '^#comm 0 = 0 1$' "$tmp/out"
printf '%s\n' '#mpgtext 1' '#ranks 2' '#comm 1 = 0 1' '0 1 2 Barrier comm=1' '0 3 4 Barrier' \
    >"$tmp/twin.txt"
is "a communicator of all ranks is not MPI_COMM_WORLD" \
    "$("$MPGTRACE" print "$tmp/twin.txt" | sed -n 's/.*Barrier //p' | xargs)" "comm=1 comm=0"
ok "they mean the same" same <(grep -v '^#comm' "$tmp/neat.txt") <(grep -v '^#comm' "$tmp/out")

# words: sorts the lines and the words in each, without default values and without what follows from the order of lines.
words() {
    "$python3" -c 'import re, sys
for line in sorted(" ".join(sorted(set(re.sub(" instance .*=", " =", l).split()) - {"bytes=0"}))
                   for l in sys.stdin):
    print(line)'
}

if command -v "$python3" >/dev/null; then
    bad=
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        clocks=$(echo shared offsets unknown | cut -d' ' -f$((seed % 3 + 1)))
        "$python3" "$here/../../oracle/randomtrace.py" --seed $seed --steps 150 --ranks $((seed % 5 + 2)) \
            --clocks "$clocks" --hosts $((seed % 2 + 1)) >"$tmp/random.txt"
        "$MPGTRACE" print "$tmp/random.txt" >"$tmp/first" &&
            same <(words <"$tmp/random.txt") <(words <"$tmp/first") &&
            "$MPGTRACE" import --force --text "$tmp/first" -o "$tmp/random" &&
            prints "$tmp/first" "$tmp/random" || bad="$bad $seed"
    done
    is "random texts, there and back" "$bad" ""
else
    skip "random texts, there and back" "no python3"
fi

wrong "no header" "does not begin" "hello"
sum() {
    wrong "$1" "$2" "#mpgtext 1" "#ranks 1" "0 1 2 Init" "0 $3"
}
sum "a sum that lacks something" "a sum of MPI_Wtime has" "7 7 Wtime calls=3 time=90 least=20"
sum "a sum that takes time" "must enter and leave at the same time" "7 8 Wtime calls=3 time=90 least=20 most=40"
sum "a sum of no calls" "calls" "7 7 Wtime calls=0 time=0 least=0 most=0"
sum "a sum that takes too little" "do not take" "7 7 Wtime calls=3 time=59 least=20 most=40"
sum "a sum that takes too much" "do not take" "7 7 Wtime calls=3 time=121 least=20 most=40"
sum "a sum of calls that wait" "has no 'calls'" "7 7 Barrier calls=3 time=90 least=20 most=40"
sum "a sum of failed calls" "failed" "7 7 Wtime calls=3 time=90 least=20 most=40 failed=1"
wrong "another version" "version" "#mpgtext 2"
wrong "no number of ranks" "#ranks" "#mpgtext 1" "#ranks x"
wrong "no ranks" "#ranks" "#mpgtext 1" "#ranks 0"
wrong "#ranks twice" "second" "#mpgtext 1" "#ranks 2" "#ranks 2"
wrong "an event before #ranks" "before #ranks" "#mpgtext 1" "0 1 2 Init"
wrong "#comm before #ranks" "before #ranks" "#mpgtext 1" "#comm 1 = 0"
wrong_event "a communicator twice" "twice" "#comm 1 = 0"
wrong_event "a rank twice in a communicator" "twice" "#comm 3 = 0 1 | 0"
wrong_event "a member that is no rank" "members" "#comm 3 = 0 2"
wrong_event "a communicator of nobody" "no members" "#comm 3 ="
wrong_event "a remote group of nobody" "no members" "#comm 3 = 0 |"
wrong_event "no label" "is not like" "#comm = 0"
wrong_event "clocks that are not shared" "#clocks" "#clocks apart"
wrong_event "a clock of no rank" "begin with a rank" "#clock 2 1 1"
wrong_event "a clock of no time" "a time and an offset" "#clock 0 one 1"
wrong_event "a host of no rank" "begin with a rank" "#host x y"
wrong_event "a fact of nothing" "a key and a value" "#fact 0 key"
wrong_event "half an event" "RANK ENTER LEAVE NAME" "0 1 2"
wrong_event "a rank that is none" "rank 2" "2 1 2 Init"
wrong_event "a time that is none" "whole number" "0 1 2.5 Init"
wrong_event "a time out of range" "whole number" "0 1 9223372036854775807 Init"
wrong_event "leaving before entering" "before it entered" "0 2 1 Init"
wrong_event "calls that overlap" "before the last call left" "0 1 5 Init" "0 4 6 Finalize"
wrong_event "an unknown call" "unknown call 'MPI_Init'" "0 1 2 MPI_Init"
wrong_event "a word that is no key" "KEY=VALUE" "0 1 2 Init now"
wrong_event "a key of another call" "MPI_Send has no 'from'" "0 1 2 Send to=1 bytes=1 from=1"
wrong_event "an unknown key" "has no 'color'" "0 1 2 Send to=1 bytes=1 color=1"
wrong_event "a key twice" "twice" "0 1 2 Send to=1 to=1 bytes=1"
wrong_event "no receiver" "needs 'to'" "0 1 2 Send bytes=1"
wrong_event "no bytes" "needs 'bytes'" "0 1 2 Send to=1"
wrong_event "no sender" "needs 'from' or 'any=source'" "0 1 2 Irecv bytes=1 any=tag request=1"
wrong_event "negative bytes" "bytes: '-1'" "0 1 2 Send to=1 bytes=-1"
wrong_event "a negative receiver" "to: '-1'" "0 1 2 Send to=-1 bytes=1"
wrong_event "a list of bytes in a send" "one number of bytes" "0 1 2 Send to=1 bytes=1,2"
wrong_event "an unknown wildcard" "any=rank" "0 1 2 Recv from=1 bytes=1 any=rank"
wrong_event "request 0" "'0'" "0 1 2 Isend to=1 bytes=1 request=0"
wrong_event "two requests" "one request" "0 1 2 Isend to=1 bytes=1 request=1,2"
wrong_event "done, but not given" "done=2" "0 1 2 Waitany requests=1 done=2"
wrong_event "cancelled, but not given" "cancelled=2" "0 1 2 Wait requests=1 cancelled=2"
wrong_event "fewer started than requests" "as many" "0 1 2 Startall persistent=1 requests=1,2"
wrong_event "a match that is none" "REQUEST:SOURCE:TAG" "0 1 2 Start persistent=1 requests=1 matched=1:2"
wrong_event "two persistent" "one persistent" "0 1 2 Send_init to=1 bytes=1 persistent=1,2"
wrong_event "nothing to free" "one 'request'" "0 1 2 Request_free"
wrong_event "an unknown communicator" "communicator 9" "0 1 2 Barrier comm=9"
wrong_event "somebody else's communicator" "not in communicator 1" "0 1 2 Barrier comm=1"
wrong_event "somebody else's new one" "not in communicator 1" "0 1 2 Comm_dup newcomm=1"
wrong_event "a fact too large" "is larger than 8192 bytes" "#fact 0 long $(printf '%0100000d' 0)"
: >"$tmp/empty"
ok "an empty text" fails 1 "no '#mpgtext 1'" "$MPGTRACE" import --text "$tmp/empty" -o "$tmp/none"
ok "a text that is not there" fails 1 "No such file" "$MPGTRACE" import --text "$tmp/nothing" -o "$tmp/none"
ok "errors of text that is a trace name it, too" fails 1 "$tmp/wrong.txt: line 5: " \
    "$MPGTRACE" print "$tmp/wrong.txt"
ok "nothing was made of all these" test ! -e "$tmp/none"
is "and nothing is left beside" "$(find "$tmp" -name 'none*')" ""

# The folder that import writes.
mkdir "$tmp/mine"
touch "$tmp/mine/thesis.tex"
ok "a folder with other files is not replaced" fails 1 "thesis.tex" \
    "$MPGTRACE" import --force --text "$tmp/neat.txt" -o "$tmp/mine"
mkdir "$tmp/hollow"
ok "an empty folder is taken" "$MPGTRACE" import --text "$tmp/neat.txt" -o "$tmp/hollow"
ok "a file is not replaced" fails 1 "Not a directory" \
    "$MPGTRACE" import --text "$tmp/neat.txt" -o "$tmp/empty"
ok "a folder's name with a slash" "$MPGTRACE" import --text "$tmp/hand.txt" -o "$tmp/slash/"
"$MPGTRACE" print "$tmp/slash" >"$tmp/before"
ok "a trace is not replaced" fails 1 "$tmp/slash: holds a trace already: --force replaces it, -o names another folder" \
    "$MPGTRACE" import --text "$tmp/neat.txt" -o "$tmp/slash/"
ok "... and is as it was" prints "$tmp/before" "$tmp/slash"
ok "... with --force it is" "$MPGTRACE" import --force --text "$tmp/neat.txt" -o "$tmp/slash/"
is "... by the other" "$("$MPGTRACE" print "$tmp/slash" | grep -v '^#')" "$(grep -v '^#' "$tmp/neat.txt")"
is "nothing of the old one is left" "$(cd "$tmp/slash" && echo *)" "rank-0.mpgt rank-1.mpgt"
is "its folder is as any other" "$(stat -c %a "$tmp/slash")" "$(stat -c %a "$tmp/mine")"
ok "import in the current folder" sh -c 'cd "$1" && "$2" import --text neat.txt && [ -d app.trace ]' \
    sh "$tmp" "$(realpath "$MPGTRACE")"

# Native traces with errors.
"$MPGTRACE" import --text "$tmp/hand.txt" -o "$tmp/four"
"$MPGTRACE" import --text "$tmp/neat.txt" -o "$tmp/two"
cp -r "$tmp/four" "$tmp/missing"
rm "$tmp/missing/rank-2.mpgt"
ok "a rank is missing" fails 1 "rank 2 of 4 is missing: copy the files of all ranks" "$MPGTRACE" print "$tmp/missing"
: >"$tmp/missing/rank-2.mpgt"
ok "... because its file is empty" fails 1 "rank 2 of 4 is missing; $tmp/missing/rank-2.mpgt is empty" \
    "$MPGTRACE" print "$tmp/missing"
head -c 20 "$tmp/four/rank-2.mpgt" >"$tmp/missing/rank-2.mpgt"
ok "... or cut off" fails 1 "rank 2 of 4 is missing; $tmp/missing/rank-2.mpgt is cut off" \
    "$MPGTRACE" print "$tmp/missing"
cat "$tmp"/four/* "$tmp/four/rank-1.mpgt" >"$tmp/twice.mpgt"
ok "a rank appears twice" fails 1 "rank 1 appears twice" "$MPGTRACE" print "$tmp/twice.mpgt"
cp -r "$tmp/four" "$tmp/copy"
cp "$tmp/copy/rank-1.mpgt" "$tmp/copy/rank-9.mpgt"
ok "a rank is in two files" fails 1 "rank 1 appears twice" "$MPGTRACE" print "$tmp/copy"
cp -r "$tmp/four" "$tmp/mixed"
cp "$tmp/two/rank-1.mpgt" "$tmp/mixed/"
ok "two traces mixed" fails 1 "not one trace" "$MPGTRACE" print "$tmp/mixed"
cp "$tmp/two/rank-0.mpgt" "$tmp/version.mpgt"
printf '\002' | dd of="$tmp/version.mpgt" bs=1 seek=8 conv=notrunc 2>/dev/null
ok "another version" fails 1 "version 2, this mpgkit reads versions 3 to 5" "$MPGTRACE" print "$tmp/version.mpgt"
# Events in versions 3 and 4 have the same format; only the version number in each chunk's header, which its checksum
# covers, differs. older VERSION FILE TARGET: converts a trace.
older() {
    "$python3" -c '
import sys, zlib
data = bytearray(open(sys.argv[2], "rb").read())
at = 0
while at < len(data):
    stored = int.from_bytes(data[at + 48:at + 52], "little")
    data[at + 8] = int(sys.argv[1])
    crc = zlib.crc32(data[at:at + 56])
    crc = zlib.crc32(data[at + 60:at + 64 + stored], crc)
    data[at + 56:at + 60] = crc.to_bytes(4, "little")
    at += 64 + stored
open(sys.argv[3], "wb").write(data)' "$@"
}
for version in 3 4; do
    if command -v "$python3" >/dev/null && older $version "$tmp/cat.mpgt" "$tmp/older.mpgt"; then
        "$MPGTRACE" print "$tmp/cat.mpgt" >"$tmp/newer.txt"
        ok "version $version is read" prints "$tmp/newer.txt" "$tmp/older.mpgt"
    else
        skip "version $version is read" "no python3"
    fi
done
cp "$tmp/cat.mpgt" "$tmp/damaged.mpgt"
printf 'xxx' | dd of="$tmp/damaged.mpgt" bs=1 seek=70 conv=notrunc 2>/dev/null
ok "damage" fails 1 "checksum" "$MPGTRACE" print "$tmp/damaged.mpgt"
cat "$tmp"/two/* >"$tmp/cut.mpgt"
truncate -s -1 "$tmp/cut.mpgt"
"$MPGTRACE" print "$tmp/cut.mpgt" >"$tmp/out" 2>"$tmp/err"
like "cut off by a byte: it says so" "$?: $(cat "$tmp/err")" "[01]: *cut.mpgt*"
# Cut off in the middle of its last chunk: the complete part is summarised, with print's warning.
mkdir "$tmp/shorter"
cp "$tmp"/two/* "$tmp/shorter"
last=$(find "$tmp/shorter" -type f | sort | tail -n 1)
truncate -s -1 "$last"
for verb in "print" "stat" "stat --json"; do
    # shellcheck disable=SC2086 # two words
    "$MPGTRACE" $verb "$tmp/shorter" >"$tmp/out" 2>"$tmp/err"
    like "cut off: $verb goes on, and warns" "$?: $(cat "$tmp/err")" "0: mpgtrace ${verb% *}: warning: $last is cut off: *"
done
"$MPGTRACE" stat "$tmp/two" >"$tmp/out" 2>"$tmp/err"
is "of a whole one nothing is said" "$?: $(cat "$tmp/err")" "0: "
mkdir "$tmp/nothing"
ok "an empty folder" fails 1 "an empty folder, not a trace" "$MPGTRACE" print "$tmp/nothing"
ok "an empty file" fails 1 "an empty file, not a trace" "$MPGTRACE" print "$tmp/empty"
ok "empty standard input" fails 1 "holds no events" "$MPGTRACE" print -
ok "what is not there" fails 1 "No such file" "$MPGTRACE" stat "$tmp/where"
ok "something else" fails 1 "a script, not a trace" "$MPGTRACE" print "$0"
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 "$tmp/cut.mpgt"
    ok "what must not be read" fails 1 "denied" "$MPGTRACE" print "$tmp/cut.mpgt"
else
    skip "what must not be read" "root may read everything"
fi

# mpgtrace stat.
"$MPGTRACE" stat "$tmp/two" >"$tmp/out"
like "stat counts calls" "$(cat "$tmp/out")" "*ranks *2*calls *4,*MPI_Send * 1 *"
is "stat: the same of text" "$("$MPGTRACE" stat "$tmp/neat.txt" | tail -n 5)" "$(tail -n 5 "$tmp/out")"
printf '#mpgtext 1\n#ranks 3\n#fact 1 incomplete a reason\n#fact 2 incomplete another\n' >"$tmp/less.txt"
like "stat says what is incomplete" "$("$MPGTRACE" stat "$tmp/less.txt")" \
    "*incomplete  2 ranks, the first of them rank 1: a reason*"
like "stat counts what passed through" "$("$MPGTRACE" stat "$tmp/hand.txt")" "*MPI_Wtime * 3*"

# Errors in the command line.
ok "no command" fails 2 "no command" "$MPGTRACE"
ok "an unknown command" fails 2 "unknown command 'draw'" "$MPGTRACE" draw
ok "print of nothing" fails 2 "mpgtrace print" "$MPGTRACE" print
ok "print of two" fails 2 "mpgtrace print" "$MPGTRACE" print a b
ok "import without text" fails 2 "--text" "$MPGTRACE" import -o "$tmp/none"
ok "import of a word" fails 2 "mpgtrace import" "$MPGTRACE" import --text "$tmp/neat.txt" more
ok "stat of nothing" fails 2 "mpgtrace stat" "$MPGTRACE" stat

# Full disks.
if [ -w /dev/full ]; then
    for command in print stat; do
        ok "$command: standard output full" fails 1 "No space left" \
            sh -c '"$@" >/dev/full' sh "$MPGTRACE" $command "$tmp/two"
    done
fi
mkdir "$tmp/full"
if mount -t tmpfs -o size=16k tmpfs "$tmp/full" 2>/dev/null; then
    ok "print: a full disk" fails 1 "No space left" "$MPGTRACE" print -o "$tmp/full/t" "$tmp/long.txt"
    ok "import: a full disk" fails 1 "/rank-0.mpgt: cannot write: No space left" "$MPGTRACE" import --text "$tmp/long.txt" -o "$tmp/full/t"
    ok "text: a full disk" fails 1 "temporary file in $tmp/full: cannot write: No space left" \
        env TMPDIR="$tmp/full" "$MPGTRACE" print "$tmp/long.txt"
    ok "standard input: a full disk" fails 1 "temporary file in $tmp/full: cannot write: No space left" \
        sh -c 'cat "$1" | TMPDIR=$2 "$3" print -' sh "$tmp/long.txt" "$tmp/full" "$MPGTRACE"
    is "nothing is left on a full disk" "$(ls -A "$tmp/full")" ""
    umount "$tmp/full"
else
    skip "full disks" "cannot mount a small disk"
fi
done_testing
