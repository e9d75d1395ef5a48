#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whose costs mpgsim takes out of a trace (TAP): given, stored in the trace, the target's where
# the trace is of its machine, or none. Programs from $MPGSIM, $MPGTRACE, $PYTHON3.
. "$(dirname "$0")/mpgsim.sh"
needs_python

# save NAME KEY=VALUE...: saves the reference signature with changed header lines as NAME.
save() {
    "$python" - "$reference" "$@" <<'PY'
import json, sys
sig = json.load(open(sys.argv[1]))
for word in sys.argv[3:]:
    key, _, value = word.partition("=")
    if value:
        sig["header"][key] = value
    else:
        sig["header"].pop(key, None)
json.dump(sig, open(sys.argv[2], "w"))
PY
}
kernel="Linux 5.4.0 #7 SMP x86_64"
save m.sig host=node1 "cpu=Quick 9000" "kernel=$kernel, HZ=250" "mpi=Open MPI v4" mpi_settings=none

# trace LINE...: writes t.txt, a trace with these additional header lines.
trace() {
    calls 2 "#clocks shared" "$@" <<'CALLS' >t.txt
0 1000 1100 Send to=1 bytes=64
1 900 2500 Recv from=0 bytes=64
0 9000 9100 Barrier
1 9050 9100 Barrier
CALLS
}
host=("#host 0 node1" "#host 1 node1")
machine=("#fact 0 cpu Quick 9000" "#fact 0 kernel $kernel")
mpi=("#fact 0 mpi Open MPI v4" "#fact 0 mpi_settings none")

# source_of OPTION...: prints how mpgsim found the source signature.
source_of() {
    "$mpgsim" --json "$@" t.txt | sed -n 's/^ *"source_from": \(.*\),$/\1/p'
}

# ---- the target's machine ----
trace "${host[@]}" "${machine[@]}" "${mpi[@]}"
is "a trace of the target's machine" "$(source_of --perturb --signature=m.sig)" '"target"'
like "the answer says so" "$("$mpgsim" --perturb --signature=m.sig t.txt)" \
    "*source: the target, too: the trace was recorded on its machine (host node1*--source=none takes none*"
is "and nothing changes but by noise" "$("$mpgsim" --json --perturb --signature=m.sig --noise=const:0 t.txt |
    sed -n 's/^ "slowdown_median": \(.*\),$/\1/p')" 1.0
is "unless it is turned off" "$(source_of --perturb --signature=m.sig --source=none)" '"refused"'
like "which the answer says" "$("$mpgsim" --perturb --signature=m.sig --source=none t.txt)" \
    "*source: none (--source=none)*"
is "or another one is given" "$(source_of --perturb --signature=m.sig --source="$reference")" '"option"'
is "no target, no source" "$(source_of)" null
save list.sig host=node0\;\ node1 "cpu=Quick 9000" "kernel=Linux 5.3; $kernel" "mpi=Open MPI v4"
is "one of several hosts and kernels" "$(source_of --perturb --signature=list.sig)" '"target"'
save noise.sig host=node1 "cpu=Quick 9000" "kernel=$kernel" mpi=
trace "${host[@]}" "${machine[@]}"
is "a signature without an MPI has noise alone" "$(source_of --perturb --signature=noise.sig)" '"target"'
is "and one with it is another machine's" "$(source_of --perturb --signature=m.sig)" null
trace "#host 0 node8" "#host 1 node9" "${machine[@]}" "#fact 1 cpu Quick 9000" \
    "#fact 1 kernel $kernel" "${mpi[@]}"
is "other hosts with its processor" "$(source_of --perturb --signature=m.sig)" '"target"'

# ---- other machines ----
# other NAME LINE...
other() {
    local name=$1
    shift
    trace "$@"
    is "$name" "$(source_of --perturb --signature=m.sig)" null
}
other "a trace that does not tell" "#clocks shared"
other "another processor" "${host[@]}" "#fact 0 cpu Quick 900" "${machine[1]}" "${mpi[@]}"
other "another kernel" "${host[@]}" "${machine[0]}" "#fact 0 kernel $kernel-1" "${mpi[@]}"
other "a kernel's beginning" "${host[@]}" "${machine[0]}" "#fact 0 kernel Linux 5.4.0" "${mpi[@]}"
other "another MPI" "${host[@]}" "${machine[@]}" "#fact 0 mpi Open MPI v5" "${mpi[1]}"
other "other settings" "${host[@]}" "${machine[@]}" "${mpi[0]}" \
    "#fact 0 mpi_settings OMPI_MCA_btl=self,tcp"
other "one rank on another host" "#host 0 node1" "#host 1 node2" "${machine[@]}" \
    "#fact 1 cpu Slow 3" "#fact 1 kernel $kernel" "${mpi[@]}"
other "one rank on a host that does not tell" "#host 0 node1" "#host 1 node2" "${machine[@]}" \
    "${mpi[@]}"

# ---- stored in the trace ----
#
# Encodes a signature independently of mpgkit (RFC 8878: a frame of raw blocks; RFC 4648).
#
# store FILE [WHAT]: stores the signature FILE in t.txt, with WHAT damaged.
store() {
    "$python" - "$@" <<'PY' >facts
import base64, struct, sys, zlib
text = open(sys.argv[1], "rb").read()
what = sys.argv[2] if len(sys.argv) > 2 else ""
frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(text) + (what == "frame"))
for at in range(0, len(text), 100000):
    part = text[at:at + 100000]
    last = at + 100000 >= len(text)
    frame += struct.pack("<I", len(part) << 3 | last)[:3] + part
crc = zlib.crc32(text) ^ (what == "crc")
size = {"size": len(text) + 1, "huge": 1 << 27, "beyond": 1 << 40,
        "negative": -5}.get(what, len(text))
crc = "0x12" if what == "crc-digits" else f"{crc:08x}"
if what != "head":
    print(f"#fact 0 signature {crc} {size}" + " a b.sig" * (what != "name"))
packed = base64.b64encode(frame).decode()
parts = [packed[i:i + 1000] for i in range(0, len(packed), 1000)]
if what == "missing":
    del parts[3]
if what == "letter":
    parts[3] = "-" + parts[3][1:]
if what == "none":
    parts = []
for part in parts:
    print("#fact 0 signature_part", part)
PY
    sed -i '/^#host 1/r facts' t.txt
}
save a.sig host=node7
cp a.sig "a b.sig"
"$python" -c 'import zlib; print("%08x" % zlib.crc32(open("a b.sig", "rb").read()))' >crc
trace "${host[@]}" "${machine[@]}" "${mpi[@]}"
store 'a b.sig'
is "a signature in the trace is the source" "$(source_of --perturb --signature=m.sig)" '"trace"'
like "which the answer says" "$("$mpgsim" --perturb --signature=m.sig t.txt)" \
    "*source: stored in the trace (a b.sig, crc32 $(cat crc))*"
is "as if it had been given" \
    "$("$mpgsim" --json --perturb --signature=list.sig t.txt | sed '/"source/d; /"quality"/,/"text"/d')" \
    "$("$mpgsim" --json --perturb --signature=list.sig --source='a b.sig' t.txt |
        sed '/"source/d; /"quality"/,/"text"/d')"
is "unless one is" "$(source_of --perturb --signature=m.sig --source=a.sig)" '"option"'
is "or it is turned off" "$(source_of --perturb --signature=m.sig --source=none)" '"refused"'
like "mpgtrace stat names it" "$("$mpgtrace" stat t.txt)" \
    "*signature   a b.sig, $(wc -c <a.sig) bytes, crc32 $(cat crc): mpgsim's source*"
"$mpgtrace" import --text t.txt -o t.trace && "$mpgtrace" print t.trace >u.txt
is "both forms have it" "$(grep -c signature_part u.txt) $(grep -c 'a b.sig' u.txt)" \
    "$(grep -c signature_part t.txt) 1"
is "and give one answer" "$("$mpgsim" --json --perturb --signature=m.sig t.trace | grep -v '"path"')" \
    "$("$mpgsim" --json --perturb --signature=m.sig t.txt | grep -v '"path"')"

# refuses WHAT PATTERN: checks that mpgsim refuses a stored signature in which WHAT is damaged.
refuses() {
    trace "${host[@]}"
    store a.sig "$1"
    "$mpgsim" --perturb --signature=m.sig t.txt >out 2>err
    is "$1: refused" "$? $(wc -c <out)" "1 0"
    like "$1: with the reason" "$(cat err)" "mpgsim: t.txt: the stored signature: $2 (--source=*"
    ok "$1: but not where it is not needed" "$mpgsim" --perturb --signature=m.sig --source=none -o out t.txt
}
refuses crc "it is damaged (checksum)"
refuses size "the stored signature does not have the * bytes that the trace names"
refuses huge "the stored signature does not have the * bytes that the trace names"
refuses frame "the stored signature does not have the * bytes that the trace names"
refuses missing "*"
refuses letter "no base64*"
refuses none "its content is not there"
# If the header line that describes the stored signature is damaged, mpgsim must not use another source without saying so.
for what in beyond negative name crc-digits head; do
    refuses "$what" "the fact that describes it is missing or damaged"
    like "$what: mpgtrace stat says so" "$("$mpgtrace" stat t.txt)" "*signature   damaged: *"
done
echo '{"format": "mpgkit-signature", "version": [3, 0], "noise": 7}' >bad.sig
trace "${host[@]}"
store bad.sig
"$mpgsim" --perturb --signature=m.sig t.txt >out 2>err
like "what is no signature" "$? $(cat err)" "1 mpgsim: t.txt: the stored signature: a b.sig: noise*"
done_testing
