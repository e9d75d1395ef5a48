#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that mpgtrace record does not start in the usual way (TAP): they load MPI when
# they run, as Python does, or were linked with the tracer.
# shellcheck disable=SC2086
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"

# run RANKS COMMAND...: runs COMMAND with RANKS ranks; output in out and err.
run() {
    local ranks=$1
    shift
    timeout 600 $mpirun -np "$ranks" "$@" >out 2>err && return
    sed 's/^/# /' err | head -20
    return 1
}

# calls TRACE: prints the names of its calls, rank by rank.
calls() {
    "$MPGTRACE" print "$1" | sed -nE '/^[0-9]+ [0-9]+ [0-9]+ Flush/d; s/^([0-9]+) [0-9]+ [0-9]+ ([A-Za-z_]+).*/\1 \2/p' |
        sort -s -n -k1,1 | xargs
}

# --- a program linked to the tracer ---
cat >app.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < argc * 1000 - 1000; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
all="0 Init 0 Barrier 0 Finalize 1 Init 1 Barrier 1 Finalize"
ok "links with -lmpgtrace" $mpicc -o linked app.c -L"$tracer_folder" "-l$link" \
    -Wl,-rpath,"$tracer_folder"
ok "... runs" run 2 ./linked
is "... traces itself into app.trace" "$(calls app.trace)" "$all"
like "... and says what ran" "$("$MPGTRACE" print app.trace)" "*#fact 0 program ./linked*"
ok "MPGTRACE_OUTPUT names another folder" env MPGTRACE_OUTPUT="$tmp/other" \
    timeout 600 $mpirun -np 2 ./linked
is "... and it is made" "$(calls other)" "$all"
ok "MPGTRACE_BUFFER is its buffer, MPGTRACE_CALLSITES its frames" \
    env MPGTRACE_OUTPUT="$tmp/set" MPGTRACE_BUFFER=4096 MPGTRACE_CALLSITES=0 \
    timeout 600 $mpirun -np 1 ./linked many
ok "... both are heeded" sh -c '"$1" print set >set.txt && grep -q " Flush" set.txt && ! grep -q site= set.txt' \
    sh "$MPGTRACE"
ok "... and are not otherwise" env MPGTRACE_OUTPUT="$tmp/unset" timeout 600 $mpirun -np 1 ./linked many
ok "... there are others then" sh -c '"$1" print unset >unset.txt && [ "$(grep -c " Flush" unset.txt)" -le 4 ] &&
    grep -q site= unset.txt' sh "$MPGTRACE" # one event for each of four call stacks
ok "MPGTRACE_BUFFER may have a unit" env MPGTRACE_OUTPUT="$tmp/unit" MPGTRACE_BUFFER=4KiB \
    timeout 600 $mpirun -np 1 ./linked many
ok "... and is heeded" sh -c '"$1" print unit | grep -q " Flush"' sh "$MPGTRACE"
said=$(env MPGTRACE_OUTPUT="$tmp/wrong" MPGTRACE_BUFFER=64Kib MPGTRACE_CALLSITES=65 MPGTRACE_LOCAL=-1 \
    MPGTRACE_CALSITES=4 timeout 600 $mpirun -np 2 ./linked many 2>&1 | grep -c '^mpgtrace: MPGTRACE_')
is "what the environment has wrong is said, once" "$said" 4
said=$(env MPGTRACE_OUTPUT="$tmp/words" MPGTRACE_BUFFER=64k timeout 600 $mpirun -np 1 ./linked 2>&1)
like "... with what is taken" "$said" \
    "*mpgtrace: MPGTRACE_BUFFER: '64k' is not a size (unknown unit 'k'); 262144 is taken*"
said=$(env MPGTRACE_OUTPUT="$tmp/papi" MPGTRACE_PAPI=PAPI_TOT_INS timeout 600 $mpirun -np 1 ./linked 2>&1)
like "counting that needs another library is said" "$said" "*not counted: MPGTRACE_PAPI needs*"
ok "it runs under mpgtrace record, too" run 2 "$MPGTRACE" record -o both.trace ./linked
# once FOLDER: checks that there is one trace and one message.
once() {
    [ "$(echo "$1"*)" = "$1" ] && [ "$(grep -c '^mpgtrace:' err)" = 1 ] && return
    { ls -d "$1"*; cat err; } | sed 's/^/# /'
    return 1
}
is "... is traced" "$(calls both.trace)" "$all"
ok "... by one of the two tracers: the other says nothing" once both.trace
echo 'int streams = 7; int say(void) { return streams; } void record_send(void) {}' >own.c
# shellcheck disable=SC2046 # options
ok "links with the archive, beside names that the tracer has" $mpicc -o archive app.c own.c "$build/trace/pmpi/lib$link.a" \
    $(sed -n 's/^Libs.private: //p' "$build/trace/mpgtrace.pc")
rm -rf app.trace
ok "... runs" run 2 ./archive
is "... traces itself" "$(calls app.trace)" "$all"
ok "... runs under mpgtrace record, too" run 2 "$MPGTRACE" record -o archived.trace ./archive
is "... is traced" "$(calls archived.trace)" "$all"
ok "... by one of the two tracers" once archived.trace

# MPICH is also installed as an archive, whose own dependencies vary with its build.
include=$($mpicc -show 2>/dev/null | tr ' ' '\n' | grep '^-I' | xargs)
static="-l:libmpich.a -lhwloc -lucp -lucs -lm -lpthread"
if [ "$include" ] && ${CC:-cc} $include -o plain app.c $static 2>/dev/null; then
    ok "links with the archive before MPI's archive" ${CC:-cc} $include -o static app.c \
        "$build/trace/pmpi/lib$link.a" $static -lzstd -lz
    rm -rf app.trace
    ok "... runs" run 2 ./static
    is "... traces itself" "$(calls app.trace)" "$all"
else
    skip "linked with MPI's archive" "there is none that links"
fi

# --- MPI is loaded during the run ---
ok "a program without MPI compiles" ${CC:-cc} -o late "$here/late.c" -ldl
$mpicc -o plain app.c
mpi=$(ldd ./plain | sed -nE 's/^[[:space:]]*(libmpi(ch)?\.so[^ ]*) .*/\1/p')
for scope in global local; do
    ok "it loads MPI ($scope)" run 2 "$MPGTRACE" record -o $scope.trace ./late mpi "$mpi" $scope
    is "... and is recorded" "$(calls $scope.trace)" "0 Init 0 Finalize 1 Init 1 Finalize"
done

if command -v "${mpifort%% *}" >/dev/null; then
    cat >module.f90 <<'END'
subroutine work() bind(c)
  use mpi
  integer :: ierr, a(2), b(2)
  call MPI_Init(ierr)
  a = 1
  call MPI_Allreduce(a, b, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (b(1) /= 4) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Finalize(ierr)
end subroutine work
END
    ok "a module in Fortran compiles" $mpifort -w -fPIC -shared -o module.so module.f90
    ok "a program loads it" run 2 "$MPGTRACE" record -o module.trace ./late module ./module.so work
    is "... and is recorded" "$(calls module.trace)" \
        "0 Init 0 Allreduce 0 Allreduce 0 Finalize 1 Init 1 Allreduce 1 Allreduce 1 Finalize"
else
    skip "a module in Fortran" "no $mpifort"
fi

# --- a module that names other libraries before MPI ---
cat >deep.c <<'END'
#include <mpi.h>
int meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Barrier(MPI_COMM_WORLD);
}
END
cat >shallow.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    void *deep = dlopen("./deep.so", RTLD_NOW | (argc > 1 ? RTLD_DEEPBIND : 0));
    int (*meet)(void) = deep ? (int (*)(void))dlsym(deep, "meet") : 0;
    MPI_Init(&argc, &argv);
    return !meet || meet() != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
}
END
ok "a module compiles" eval '$mpicc -shared -fPIC -o deep.so deep.c && $mpicc -o shallow shallow.c -ldl'
ok "it is loaded" run 2 "$MPGTRACE" record --quiet -o shallow.trace ./shallow
is "... and recorded, without a word" "$(calls shallow.trace) $(cat err)" "0 Init 0 Barrier 0 Barrier 0 Finalize 1 Init 1 Barrier 1 Barrier 1 Finalize "
ok "it is loaded with its own libraries first" run 2 "$MPGTRACE" record --quiet -o deep.trace ./shallow deep
is "... and its calls that are not recorded are told" "$(calls deep.trace): $(cat err)" "0 Init 0 Finalize 1 Init 1 Finalize: mpgtrace: ./deep.so calls MPI_Barrier past the tracer: it was loaded so that its own libraries come first (RTLD_DEEPBIND)"

# --- Python ---
python=
for candidate in "${WHOLE_PYTHON3:-python3}" /usr/bin/python3; do
    # It must use the tracer's MPI.
    "$candidate" -c 'import mpi4py.MPI as m; print(m.__file__)' >module.path 2>/dev/null &&
        ldd "$(cat module.path)" | grep -q "$mpi" && python=$candidate
done
if [ "$python" ]; then
    cat >program.py <<'END'
from mpi4py import MPI
import array
comm = MPI.COMM_WORLD
me, n = comm.Get_rank(), comm.Get_size()
a, b = array.array('d', [me] * 10), array.array('d', [0] * 10)
comm.Sendrecv(a, (me + 1) % n, 5, b, (me - 1) % n, 5)
assert b[0] == (me - 1) % n
request = comm.isend({'from': me}, dest=(me + 1) % n, tag=9)
assert comm.recv(source=MPI.ANY_SOURCE, tag=9)['from'] == (me - 1) % n
request.wait()
part = comm.Split(me % 2, me)
part.Barrier()
part.Free()
END
    ok "mpi4py runs" run 2 "$MPGTRACE" record --quiet -o python.trace "$python" program.py
    is "... is not disturbed" "$(cat out err)" ""
    printed python.trace | awk '{ $2 = $3 = ""; print }' >python.text
    is "... and its calls are recorded" "$(grep -cE \
        '^[01] +(Sendrecv .*bytes=80 |Isend .*request=|Mprobe|Mrecv|Wait |Comm_split|Comm_free|Barrier)' \
        python.text)" 16
    for program in helloworld ringtest; do
        run 2 "$python" -m mpi4py.bench $program
        sort out | sed 's/[0-9.e+-]\{8,\}//g' >plain
        ok "mpi4py.bench $program runs" \
            run 2 "$MPGTRACE" record -o $program.trace "$python" -m mpi4py.bench $program
        is "... and says the same" "$(sort out | sed 's/[0-9.e+-]\{8,\}//g')" "$(cat plain)"
    done
else
    skip "mpi4py" "not installed for this MPI"
fi

done_testing
