#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hypotheses that make no sense, or only just: mpgreplay refuses what mpgsim refuses, with the same line and exit status, and
# takes what that takes (TAP). The trace is of one rank, so that no launcher is needed.
# shellcheck source=tests/replay/replay.sh
. "$(dirname "$0")/replay.sh"
mpgsim=${MPGSIM:-$build/simulate/mpgsim}

"$mpgtrace" import --text - -o self.trace <<'END_OF_TRACE' || exit 1
#mpgtext 1
#ranks 1
0 0 100 Init
0 1000 1000 Region_begin name="tile"
0 2000 2100 Irecv from=0 tag=7 bytes=24 request=1
0 3000 3100 Send to=0 tag=7 bytes=24
0 3200 3300 Wait requests=1
0 4000 4000 Region_end name="tile"
0 5000 5100 Allreduce comm=0 bytes=8
0 6000 6100 Barrier comm=0
0 9000 9100 Finalize
END_OF_TRACE

# answer PROGRAM COMMAND...: prints the exit status of COMMAND and its first message, without the program's name.
answer() {
    local name=$1 line
    shift
    timeout -k 5 100 "$@" >out 2>err </dev/null
    status=$?
    line=$(grep -m 1 "^$name: " err)
    line=${line#"$name: "}
    echo "$status ${line//$name --help/PROGRAM --help}"
}
# both STATUS HYPOTHESES: checks that mpgreplay and mpgsim print the same message and exit with STATUS. HYPOTHESES: one
# or several, separated by ;.
both() {
    local want=$1 hypothesis list options=() simulated replayed
    IFS=';' read -ra list <<<"$2"
    for hypothesis in "${list[@]}"; do options+=(--hypothesis="$hypothesis"); done
    simulated=$(answer mpgsim "$mpgsim" "${options[@]}" self.trace)
    replayed=$(answer mpgreplay "$mpgreplay" --quiet --patience=20s "${options[@]}" self.trace)
    like "$2" "$replayed" "$want *"
    is "... as mpgsim" "$replayed" "$simulated"
}

# ---- hypotheses that are wrong in themselves: refused before MPI_Init ----
while read -r line; do both 2 "$line"; done <<'END_OF_LIST'
scale tile
scale tile factor=-1
scale tile factor=nan
scale tile factor=inf
scale tile factor=1e300
scale tile factor=1e-300
scale tile factor=2 factor=3
scale tile ranks= factor=2
scale tile ranks=1-0 factor=2
scale tile ranks=-1 factor=2
scale tile ranks=99999999999999999999 factor=2
scale "" factor=2
scale tile factor=
scale factor=2
scale tile ranks=0-1 factor=2x
balance tile by=moon
balance tile factor=2
balance tile comm=0 comm=0
balance tile by=total by=instance
balance
balance tile tile
drop call=Nonsense
drop call=Wtime
drop site=-1
drop tag=-1
drop bytes=5
drop bytes=9-3
drop bytes=-
drop bytes=a-b
drop call=Send factor=2
drop call=Send bytes=0-10 bytes=3-4
drop call=Wait
drop call=Comm_split
drop call=MPI_Finalize
drop "call=Send
drop call=
drop =Send
drop call
drop comm=0 comm=0
drop call=send
drop to=null
drop from=null
drop site=1-3
resize call=Send
resize call=Send factor=2 bytes=3
resize call=Send bytes=-4
resize call=Send bytes=10-20
resize call=Send bytes=99999999999999999999
resize call=Send bytes=64QiB
resize call=Win_fence factor=2
insert tile bytes=-8 to=+1
insert tile bytes=8 to=+0
insert tile bytes=8
insert tile bytes=8 to=+1 time=1us
frobnicate tile
DROP call=Send
# only comment
drop call=Recv;resize call=Recv factor=2
drop call=Send;drop call=Send
balance tile;balance tile
scale tile factor=2;scale tile factor=3
END_OF_LIST
needs_mpi

# ---- hypotheses about things that the trace lacks ----
while read -r line; do both 1 "$line"; done <<'END_OF_LIST'
scale nowhere factor=2
scale tile ranks=7 factor=2
balance tile comm=99
insert nowhere bytes=8 to=+1
insert tile bytes=8 to=+1
insert tile bytes=8 to=1
drop region=nowhere
drop site=999
drop comm=42
drop from=5
drop to=99
drop tag=12345
drop bytes=1e9-
drop region="ti\x00le"
resize call=Bcast factor=2
drop call=Send;resize tag=7 factor=2
END_OF_LIST

# ---- valid hypotheses ----
while read -r line; do both 0 "$line"; done <<'END_OF_LIST'
scale tile ranks=0,0 factor=2
scale tile factor=0
scale tile factor=2 # comment
balance tile;scale tile factor=2
drop call=Send_c
END_OF_LIST

# mpgreplay cannot insert calls, mpgsim can.
"$mpgtrace" import --text - -o pair.trace <<'END_OF_TRACE' || exit 1
#mpgtext 1
#ranks 2
0 0 100 Init
0 1000 1000 Region_begin name="tile"
0 4000 4000 Region_end name="tile"
0 9000 9100 Finalize
1 0 100 Init
1 1000 1000 Region_begin name="tile"
1 4000 4000 Region_end name="tile"
1 9000 9100 Finalize
END_OF_TRACE
is "a message that is inserted is not re-enacted" \
    "$(answer mpgreplay "$mpgreplay" --quiet --hypothesis='insert tile bytes=8 to=+1' pair.trace)" \
    "1 an inserted message cannot be replayed: use mpgsim"

# mpgreplay does not need the time of a byte on the traced machine, because it really sends the larger message.
replayed=$(answer mpgreplay "$mpgreplay" --quiet --hypothesis='resize call=Send bytes=64KiB' self.trace)
is "a new size, without the costs of bytes" "$replayed" "0 "
simulated=$(answer mpgsim "$mpgsim" --hypothesis='resize call=Send bytes=64KiB' self.trace)
like "... which mpgsim asks for" "$simulated" "1 resize: neither a source's signature nor --source=byte gives the time of a byte *"
done_testing
