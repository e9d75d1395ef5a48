# SPDX-License-Identifier: GPL-3.0-or-later
# Made-up traces in text form, for test scripts to source. Every function prints
# one; all ranks leave MPI_Init at 100 on one clock, unless it says otherwise.

# calls RANKS [LINE...]: prints a trace of the calls on standard input between MPI_Init and an MPI_Finalize that all
# ranks enter at 1000000. LINES: its header (default: a common clock).
calls() {
    local ranks=$1
    shift
    awk -v ranks="$ranks" -v about="$(printf '%s\n' "${@-#clocks shared}")" '
        BEGIN { print "#mpgtext 1\n#ranks " ranks "\n" about
                for (r = 0; r < ranks; r++) print r, 0, 100, "Init" }
        { print }
        END { for (r = 0; r < ranks; r++) print r, 1000000, 1000010, "Finalize" }'
}

# ring RANKS LAPS BYTES: prints a trace in which a token goes around; each rank waits for it in MPI_Recv. A compute
# interval takes 50, a send 20, a message 400.
ring() {
    awk -v p="$1" -v laps="$2" -v bytes="$3" '
        BEGIN { print "#mpgtext 1\n#ranks " p "\n#clocks shared"
            for (r = 0; r < p; r++) { print r, 0, 100, "Init"; left[r] = 100 }
            for (k = 0; k < laps; k++) {
                send(0)
                for (r = 1; r < p; r++) { recv(r, r - 1); send(r) }
                recv(0, p - 1) }
            for (r = 0; r < p; r++) print r, left[r] + 50, left[r] + 60, "Finalize" }
        function send(r) {
            sent[r] = left[r] + 50; left[r] = sent[r] + 20
            print r, sent[r], left[r], "Send to=" (r + 1) % p " tag=3 bytes=" bytes }
        function recv(r, from) {
            at = left[r] + 50; left[r] = sent[from] + 400
            print r, at, left[r], "Recv from=" from " tag=3 bytes=" bytes }'
}

# pipeline RANKS ITEMS BYTES: every rank passes each item to the next one.
pipeline() {
    awk -v p="$1" -v items="$2" -v bytes="$3" '
        BEGIN { print "#mpgtext 1\n#ranks " p "\n#clocks shared"
            for (r = 0; r < p; r++) {
                print r, 0, 100, "Init"; t = 100
                for (i = 0; i < items; i++) {
                    if (r > 0) { at = t + 50; t = 700 * (r + i + 1)
                        print r, at, t, "Recv from=" r - 1 " bytes=" bytes }
                    if (r < p - 1) { at = r ? t + 50 : 700 * (i + 1) - 300; t = at + 20
                        print r, at, t, "Send to=" r + 1 " bytes=" bytes } }
                print r, 1000000, 1000010, "Finalize" } }'
}

# tree RANKS BYTES: a binomial broadcast from rank 0, made of messages.
tree() {
    awk -v p="$1" -v bytes="$2" '
        BEGIN { print "#mpgtext 1\n#ranks " p "\n#clocks shared"
            for (r = 0; r < p; r++) {
                print r, 0, 100, "Init"; t = 100; above = 1
                while (above <= r) above *= 2
                if (r) { from = r - above / 2; t = done[r]
                    print r, 150, t, "Recv from=" from " bytes=" bytes }
                for (b = r ? above : 1; r + b < p; b *= 2) {
                    print r, t + 50, t + 70, "Send to=" r + b " bytes=" bytes
                    done[r + b] = t + 450; t += 70 }
                print r, 1000000, 1000010, "Finalize" } }'
}

# stencil RANKS STEPS BYTES: in each step every rank exchanges messages with both neighbours of a line.
stencil() {
    awk -v p="$1" -v steps="$2" -v bytes="$3" '
        BEGIN { print "#mpgtext 1\n#ranks " p "\n#clocks shared"
            for (r = 0; r < p; r++) {
                print r, 0, 100, "Init"
                for (s = 0; s < steps; s++) { t = 1000 * (s + 1); id = 4 * s
                    request("Irecv", "from", r - 1, ++id); request("Irecv", "from", r + 1, ++id)
                    request("Isend", "to", r - 1, ++id); request("Isend", "to", r + 1, ++id)
                    print r, t, 1000 * (s + 2) - 100 * (r % 2) - 200, \
                        "Waitall requests=" id - 3 "," id - 2 "," id - 1 "," id }
                print r, 1000000, 1000010, "Finalize" } }
        function request(name, key, peer, id) {
            if (peer < 0 || peer >= p) peer = "null"
            print r, t, t + 10, name, key "=" peer " bytes=" bytes " request=" id; t += 20 }'
}

# collective RANKS NAME ARGUMENTS: one collective, which the ranks enter one after the other.
collective() {
    awk -v p="$1" -v call="$2 $3" '
        BEGIN { for (r = 0; r < p; r++) print r, 1000 + 37 * r, 2000 + 5 * r, call }' | calls "$1"
}

# flood MESSAGES: rank 0 sends, rank 1 receives each message soon after; nothing is sent back.
flood() {
    awk -v n="$1" '
        BEGIN { print "#mpgtext 1\n#ranks 2\n#clocks shared"
            for (r = 0; r < 2; r++) print r, 0, 100, "Init"
            for (i = 1; i <= n; i++) {
                print 0, 1000 * i, 1000 * i + 30, "Send to=1 bytes=64"
                print 1, 1000 * i + 100, 1000 * i + 600, "Recv from=0 bytes=64" }
            for (r = 0; r < 2; r++) print r, 1000 * (n + 1), 1000 * (n + 1) + 5, "Finalize" }'
}

# regions: prints a trace of two ranks that compute in regions, without messages. Rank 0 computes for 1003 ns outside,
# 400 in solve, 600 in solve's inner, 97 in solve, 1200 outside, then 690. Rank 1 is always in solve: 3000 and 980 ns,
# with a call in between.
regions() {
    cat <<'T'
#mpgtext 1
#ranks 2
#clocks shared
#comm 0 = 0 1
0 0 1000 Init
0 2003 2003 Region_begin name="solve"
0 2403 2403 Region_begin name="inner"
0 3003 3003 Region_end name="inner"
0 3100 3100 Region_end name="solve"
0 4300 4310 Iprobe comm=0 from=1 tag=7 found=0
0 5000 5010 Finalize
1 0 1000 Init
1 1000 1000 Region_begin name="solve"
1 4000 4020 Iprobe comm=0 from=1 tag=7 found=0
1 5000 5000 Region_end name="solve"
1 5120 5130 Finalize
T
}
