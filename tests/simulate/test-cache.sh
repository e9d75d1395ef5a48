#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The pre-pass cache beside the trace (TAP): equal answers with and without cache, whatever
# happened to the cache file or the trace; half as much is read.
set -u
. "$(dirname "$0")/mpgsim.sh"
smaller
export XDG_STATE_HOME=$work/state PYTHONPATH=$here
preload=$build/tests/simulate/.libs/libcount_reads.so

# answer TRACE OPTION...: prints mpgsim's JSON, in which the trace's name is replaced, so that copies of a trace give
# equal texts.
answer() {
    local trace=$1
    shift
    "$mpgsim" --json --seed=5 "$@" "$trace" | sed "s|\"$trace\"|\"TRACE\"|"
}
# fresh TRACE OPTION...: the same without reading or writing a cache.
fresh() {
    answer "$@" --cache=fresh
}

# ---- traces ----
calls 3 "#host 0 a" "#host 1 a" "#host 2 b" "#clocks shared" >app.txt <<'END'
0 1000 1500 Send to=1 tag=1 bytes=1000
0 2600 2700 Allreduce bytes=8
0 9000 9100 Irecv from=1 tag=2 bytes=8 request=1
0 9150 9200 Irecv from=2 tag=2 bytes=8 request=2
0 9300 12000 Waitany requests=1,2 done=2
0 14000 14100 Waitany requests=1 done=1
1 1100 2000 Recv from=0 tag=1 bytes=1000
1 2100 2750 Allreduce bytes=8
1 11500 11600 Send to=0 tag=2 bytes=8
2 1000 2720 Allreduce bytes=8
2 11000 11100 Send to=0 tag=2 bytes=8
END
sed '/#clocks/d' app.txt >unclocked.txt
# Call sites and CPU times, which the classes of similar compute intervals use.
{
    printf '#mpgtext 1\n#ranks 2\n#values cpu_ns\n#clocks shared\n'
    printf '#module 0 = 12ab "/bin/app"\n#site 1 = 0+0x10\n#site 2 = 0+0x20 0+0x30\n'
    for rank in 0 1; do
        echo "$rank 0 100 Init values=0"
        for i in $(seq 1 40); do
            t=$((i * 10000)) cpu=$((8000 + i % 7 * 100))
            echo "$rank $t $((t + 300 + rank * 20)) Allreduce bytes=8 site=$((1 + i % 2)) values=$cpu"
        done
        echo "$rank 500000 500010 Finalize values=90000"
    done
} >alike.txt
# No time between calls.
{
    printf '#mpgtext 1\n#ranks 1\n#clocks shared\n0 0 100 Init\n'
    for i in $(seq 1 20); do
        echo "0 ${i}00 $((i + 1))00 Barrier"
    done
    echo "0 2100 2110 Finalize"
} >dense.txt
for trace in app unclocked alike dense; do
    "$mpgtrace" import --text $trace.txt -o $trace.trace || { echo "Bail out! no $trace.trace"; exit 1; }
    cat $trace.trace/*.mpgt >$trace.one
done

# ---- equal predictions with and without a cache ----
same() {
    local trace=$1 expected kept again
    shift
    rm -rf "$trace.floors" "$trace/mpgsim.floors"
    expected=$(fresh "$trace" "$@") && [ -n "$expected" ] || return 1
    [ ! -e "$trace.floors" ] && [ ! -e "$trace/mpgsim.floors" ] || return 1
    kept=$(answer "$trace" "$@") && again=$(answer "$trace" "$@") || return 1
    [ "$kept" = "$expected" ] && [ "$again" = "$expected" ]
}
has_file() {
    [ -s "$1" ] && [ "$(find . -name '*.part.*' | wc -l)" = 0 ]
}
for trace in app unclocked alike dense; do
    for form in txt one trace; do
        ok "$trace.$form: default" same $trace.$form --latency=exp:700ns --noise=exp:1us
        if [ $form = trace ]; then
            ok "$trace.$form: a file in its folder" has_file $trace.trace/mpgsim.floors
        else
            ok "$trace.$form: a file beside it" has_file $trace.$form.floors
        fi
    done
    while read -r options; do
        # shellcheck disable=SC2086 # words
        ok "$trace: $options" same $trace.trace $options
    done <<END
--absorb=wait --latency=exp:700ns
--absorb=wait --latency=const:-50ns
--absorb=none --latency=const:-50ns
--latency=const:300ns --collectives=expand
--perturb --signature=$reference --replicas=4
--perturb --signature=$reference --source=$reference --replicas=4
--perturb --signature=$reference --source=$reference --replicas=4 --map=cyclic:2
--perturb --signature=$reference --source=$reference --replicas=4 --compute-ratio=2
--signature=$reference --source=$reference --replicas=4 --compute-ratio=0.7 --predict
--signature=$reference --source=$reference --replicas=4 --predict
--signature=$reference --replicas=4 --predict --collectives=expand
--latency=exp:700ns --eager-limit=100 --without=choice
--latency=exp:700ns --lenient --horizon=1
END
done
# Results for different options are cached side by side.
fresh app.trace --latency=const:2us >a
fresh app.trace --latency=const:2us --eager-limit=10 >b
for i in 1 2; do
    is "one of two ($i)" "$(answer app.trace --latency=const:2us)" "$(cat a)"
    is "the other ($i)" "$(answer app.trace --latency=const:2us --eager-limit=10)" "$(cat b)"
done

# ---- amount of data read ----
#
# reads TRACE OPTION...: prints the number of bytes that mpgsim reads.
reads() {
    READ_COUNT=$work/count LD_PRELOAD=$preload "$mpgsim" --latency=const:2us "${@:2}" "$1" >/dev/null
    cat "$work/count"
}
if [ "${MPGKIT_SANITIZERS-no}" = yes ] || ! [ -e "$preload" ]; then
    skip "what is read" "sanitizers want to be first, or $preload is not built"
else
    ring 8 2000 8 >ring.txt
    "$mpgtrace" import --text ring.txt -o ring.trace
    bytes=$(cat ring.trace/*.mpgt | wc -c)
    once=$(reads ring.trace --absorb=none)
    first=$(reads ring.trace)
    second=$(reads ring.trace)
    afresh=$(reads ring.trace --cache=fresh)
    echo "# $bytes bytes: $once in one pass, $first, then $second; $afresh afresh"
    ok "the first time once more" test $((10 * (first - once))) -gt $((9 * bytes))
    ok "then not" test $((second - once)) -lt $((bytes / 20))
    is "without the file twice, and the key" "$((afresh + 16))" "$first"
    # is_believed: succeeds if mpgsim uses the cache of ring.trace.
    is_believed() {
        [ "$(reads ring.trace)" -lt $((first - bytes / 2)) ]
    }
    ok "it is believed" is_believed
    reads ring.trace --seed=7 --noise=exp:1us --replicas=8 >/dev/null
    ok "whatever the draws" is_believed

    # Caches of other users, made with another key, are not used; nor is a key file that others may read.
    cp ring.trace/mpgsim.floors good
    cp -r "$XDG_STATE_HOME" others
    head -c 16 /dev/urandom >others/mpgkit/key
    before=$XDG_STATE_HOME
    export XDG_STATE_HOME=$work/others
    ok "under another key it is not believed" eval '! is_believed'
    cp good ring.trace/mpgsim.floors
    chmod 644 others/mpgkit/key
    rm ring.trace/mpgsim.floors
    reads ring.trace >/dev/null
    ok "with a key that others may read nothing is kept" test ! -e ring.trace/mpgsim.floors
    XDG_STATE_HOME=/dev/null/no reads ring.trace >/dev/null
    ok "... nor without a place for one" test ! -e ring.trace/mpgsim.floors
    export XDG_STATE_HOME=$before
    cp good ring.trace/mpgsim.floors
    ok "one's own is believed" is_believed
    is "the key is the user's alone" "$(stat -c '%a %s' "$XDG_STATE_HOME/mpgkit/key")" "600 16"
    if [ "$(id -u)" = 0 ]; then
        chown 65534 ring.trace/mpgsim.floors
        ok "another user's is not believed" eval '! is_believed'
    else
        skip "another user's is not believed" "only root can give files away"
    fi
    cp good ring.trace/mpgsim.floors

    # A cache of another version of mpgsim, with a valid digest.
    if [ -n "$python" ]; then
        cp ring.trace/mpgsim.floors good
        "$python" - good ring.trace/mpgsim.floors <<'END'
import struct, sys
from seal import sealed
body = open(sys.argv[1], "rb").read()[:-8]
length = struct.unpack_from("<Q", body, 16)[0]
version = bytes(b ^ 1 for b in body[24:24 + length])
body = body[:24] + version + body[24 + length:]
open(sys.argv[2], "wb").write(sealed(body))
END
        ok "another version is not believed" eval '! is_believed'
        ok "but replaced" cmp -s good ring.trace/mpgsim.floors
    else
        skip "another version" "no python3"
        skip "another version" "no python3"
    fi
    # The trace is edited, but keeps its size and modification time.
    sed '0,/ 150 170 Send/s// 150 171 Send/' ring.txt >edited.txt
    "$mpgtrace" import --text edited.txt -o edited.trace
    cp ring.trace/mpgsim.floors edited.trace/
    for rank in edited.trace/*.mpgt; do
        touch -r "ring.trace/$(basename "$rank")" "$rank"
    done
    expected=$(fresh edited.trace --latency=const:2us)
    cp -a edited.trace was.trace
    ok "an edited trace is read again" test "$(reads edited.trace)" -gt \
        "$(reads edited.trace --cache=fresh)"
    is "and answers for itself" "$(answer was.trace --latency=const:2us)" "$expected"
fi

# ---- damaged caches ----
options=(--latency=const:2us --perturb --signature="$reference" --source="$reference" --compute-ratio=2 --replicas=2)
expected=$(fresh alike.trace "${options[@]}")
rm -f alike.trace/mpgsim.floors
answer alike.trace "${options[@]}" >/dev/null
cp alike.trace/mpgsim.floors good
size=$(wc -c <good)
# survives: succeeds if mpgsim prints the expected prediction and no message.
survives() {
    [ "$(answer alike.trace "${options[@]}" 2>err)" = "$expected" ] && [ ! -s err ]
}
ok "as it was written" survives
bad=0
for at in $(seq 0 $((size / 23)) $((size - 1))); do
    cp good alike.trace/mpgsim.floors
    byte=$(od -An -tu1 -j "$at" -N 1 good | tr -d ' ')
    # shellcheck disable=SC2059 # a byte
    printf "\\$(printf %o $((byte ^ 16)))" |
        dd of=alike.trace/mpgsim.floors bs=1 seek="$at" conv=notrunc status=none
    survives || { bad=$((bad + 1)); echo "# byte $at"; }
    cmp -s good alike.trace/mpgsim.floors || { bad=$((bad + 1)); echo "# byte $at: not replaced"; }
done
is "a byte is another" "$bad" 0
bad=0
for n in 0 1 7 8 16 40 $((size / 2)) $((size - 9)) $((size - 1)); do
    head -c "$n" good >alike.trace/mpgsim.floors
    survives && cmp -s good alike.trace/mpgsim.floors || { bad=$((bad + 1)); echo "# $n bytes"; }
done
is "it is cut off" "$bad" 0
cat good good >alike.trace/mpgsim.floors
ok "something follows" survives
cp app.trace/mpgsim.floors alike.trace/mpgsim.floors
ok "it is another trace's" survives
cp unclocked.trace/mpgsim.floors app.trace/mpgsim.floors
is "that of the same without clocks" "$(answer app.trace --latency=const:2us)" "$(cat a)"
# Caches with invalid contents and a valid digest: each has one changed number.
if [ -n "$python" ]; then
    "$python" - good alike.trace/mpgsim.floors "$mpgsim" "${options[@]}" >nonsense <<'END'
import random, struct, subprocess, sys
from seal import sealed
good, path, mpgsim = open(sys.argv[1], "rb").read()[:-8], sys.argv[2], sys.argv[3]
random.seed(3)
for case in range(150):
    body = bytearray(good)
    at = random.randrange(40, len(body) - 8) & ~7
    struct.pack_into("<Q", body, at, random.choice((0, 1, 255, 1 << 31, 1 << 32, 1 << 63, 2**64 - 1)))
    open(path, "wb").write(sealed(bytes(body)))
    run = subprocess.run([mpgsim, *sys.argv[4:], "alike.trace"], capture_output=True)
    if run.returncode != 0 or b"Sanitizer" in run.stderr or b"runtime error" in run.stderr:
        print("number at", at, run.returncode, run.stderr[:200])
END
    is "numbers that make no sense" "$(cat nonsense)" ""
else
    skip "numbers that make no sense" "no python3"
fi
rm alike.trace/mpgsim.floors
mkfifo alike.trace/mpgsim.floors
ok "a pipe in its place" survives
ok "which stays" test -p alike.trace/mpgsim.floors
rm alike.trace/mpgsim.floors
mkdir alike.trace/mpgsim.floors
ok "a folder in its place" survives
rmdir alike.trace/mpgsim.floors
ln -s ../elsewhere alike.trace/mpgsim.floors
ok "a link in its place" survives
ok "which leads nowhere still" test ! -e elsewhere
rm alike.trace/mpgsim.floors
cp good alike.trace/mpgsim.floors
printf x >>alike.trace/mpgsim.floors
cp alike.trace/mpgsim.floors odd
fresh alike.trace "${options[@]}" >/dev/null
ok "--cache=fresh does not touch it" cmp -s odd alike.trace/mpgsim.floors
refuses 2 "mpgsim: --cache: 'old' is not kept or fresh*" --cache=old app.trace
is "another --cache" $? 0

# ---- damaged traces are still reported as damaged ----
cp -a alike.trace hurt.trace
answer hurt.trace "${options[@]}" >/dev/null
printf '\377' | dd of=hurt.trace/rank-1.mpgt bs=1 conv=notrunc status=none \
    seek=$(($(wc -c <hurt.trace/rank-1.mpgt) / 2))
"$mpgsim" "${options[@]}" hurt.trace >out 2>err
is "a trace that was damaged since: exit status" $? 1
like "a trace that was damaged since" "$(cat err)" "mpgsim: hurt.trace/rank-1.mpgt: rank 1*damaged*"

# ---- two at once ----
rm -f app.trace/mpgsim.floors
for i in 1 2 3 4 5 6; do
    answer app.trace --latency=const:2us >a$i &
    answer app.trace --latency=const:2us --eager-limit=10 >b$i &
done
wait
bad=0
for i in 1 2 3 4 5 6; do
    cmp -s a a$i && cmp -s b b$i || bad=$((bad + 1))
done
is "twelve at once" "$bad" 0
ok "leave a file" has_file app.trace/mpgsim.floors
is "that is right" "$(answer app.trace --latency=const:2us)" "$(cat a)"

# ---- folders without write permission ----
is "from a pipe" "$("$mpgsim" --json --seed=5 --latency=const:2us - <app.one | sed 's/"-"/"TRACE"/')" \
    "$("$mpgsim" --json --seed=5 --latency=const:2us --cache=fresh - <app.one | sed 's/"-"/"TRACE"/')"
rm -f -- *.floors
"$mpgsim" --latency=const:2us - <app.one >/dev/null
mkfifo pipe
cat app.one >pipe &
"$mpgsim" --latency=const:2us pipe >/dev/null
wait
is "of pipes nothing is kept" "$(find . -maxdepth 1 -name '*.floors' | wc -l)" 0
(ulimit -f 0 && exec "$mpgsim" --latency=const:2us app.one 2>err | cat >/dev/null)
is "no file may have any size" "$(cat err)$(find . -maxdepth 1 -name '*.floors*' | wc -l)" 0
mkdir full
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=200k none full 2>/dev/null; then
    mkdir full/app.trace
    cp app.trace/*.mpgt full/app.trace
    dd if=/dev/zero of=full/fill bs=1k status=none 2>/dev/null
    cp app.one full/more 2>/dev/null
    is "a full disk" "$(answer full/app.trace --latency=const:2us)" "$(cat a)"
    is "nothing is left on it" "$(ls full/app.trace)" "$(cd app.trace && ls -- *.mpgt)"
    rm -f full/fill full/more
    mount -o remount,ro full
    is "a folder that cannot be written" "$(answer full/app.trace --latency=const:2us)" "$(cat a)"
    mount -o remount,rw full
    answer full/app.trace --latency=const:2us >/dev/null
    ok "once it can be" has_file full/app.trace/mpgsim.floors
    mount -o remount,ro full
    is "a file that cannot be replaced" "$(answer full/app.trace --latency=const:2us)" "$(cat a)"
    umount full
else
    skip "a full disk" "it takes a file system that is full"
    cp -a app.trace read.trace
    rm -f read.trace/mpgsim.floors
    chmod a-w read.trace
    is "a folder that cannot be written" "$(answer read.trace --latency=const:2us)" "$(cat a)"
    chmod u+w read.trace
fi

# ---- other users' traces ----
if [ "$(id -u)" = 0 ]; then
    for trace in app.trace app.one; do
        cp -a "$trace" "theirs-$trace"
        rm -f "theirs-$trace/mpgsim.floors"
        chown -R 65534 "theirs-$trace"
        is "$trace of another user" "$(answer "theirs-$trace" --latency=const:2us)" "$(cat a)"
    done
    is "nothing is written beside it" "$(find . -path './theirs-*' -name '*.floors')" ""
else
    skip "a trace of another user" "only root can give files away"
fi

# ---- other programs ----
is "stat does not see it" "$("$mpgtrace" stat app.trace | grep -c floors)" 0
is "nor print" "$("$mpgtrace" print app.trace)" "$("$mpgtrace" print app.one)"
"$mpgtrace" import --force --text alike.txt -o app.trace
is "a trace with it is replaced" "$? $(ls app.trace)" "0 $(cd alike.trace && ls -- *.mpgt)"
done_testing
