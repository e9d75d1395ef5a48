#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The common time of several ranks (TAP): on one clock, and with a rank whose clock
# is a thousand seconds ahead (a time namespace).

build=${top_builddir:-.}
. "$(dirname "$0")/../tap.sh"
mpirun=${MPIRUN:-mpirun}
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"

# show COMMAND...: prints the first output line of COMMAND, and its other lines as comments.
show() {
    "$@" >out
    sed 's/^[^#]/# &/' out >&2
    head -n 1 out
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sync=$(cd "$build" && pwd)/tests/bench/sync
cd "$tmp" || exit 1

for timer in auto clock; do
    is "two ranks of one host share the clock, --timer $timer" \
        "$(show $mpirun -np 2 "$sync" $timer)" "shared, 0 before they were sent"
done
is "three ranks" "$(show $mpirun -np 3 "$sync" clock)" "shared, 0 before they were sent"

cat >ahead <<'EOS'
#!/bin/sh
# Starts the last rank with a monotonic clock that is 1000 s ahead.
[ "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" = "$((${OMPI_COMM_WORLD_SIZE-$PMI_SIZE} - 1))" ] || exec "$@"
exec unshare --time --monotonic 1000 --fork "$@"
EOS
chmod +x ahead
if ! unshare --time --monotonic 1000 true 2>/dev/null; then
    skip "a clock that is ahead" "no time namespaces here"
elif [ "$($mpirun -np 1 sh -c 'echo ${OMPI_COMM_WORLD_RANK-$PMI_RANK}')" != 0 ]; then
    skip "a clock that is ahead" "the launcher does not tell ranks their number"
else
    is "two ranks, one clock ahead" "$(show $mpirun -np 2 ./ahead "$sync" clock)" \
        "synchronised, 0 before they were sent"
    is "three ranks, one clock ahead" "$(show $mpirun -np 3 ./ahead "$sync" clock)" \
        "synchronised, 0 before they were sent"
fi
done_testing
