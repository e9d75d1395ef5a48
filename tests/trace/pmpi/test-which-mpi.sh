#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpgtrace record finds the MPI of a program (TAP): one installation, as built and as installed,
# traces the programs of every MPI that is here, however they are started; and programs into
# which nothing can be preloaded, or something else must be preloaded first.
# shellcheck disable=SC2086,SC2154
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
cat >app.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
all="0 Barrier 0 Finalize 0 Init 1 Barrier 1 Finalize 1 Init"
cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *module = dlopen(argv[1], RTLD_NOW);
    int (*run)(int, char **) = module ? (int (*)(int, char **))dlsym(module, "run") : 0;
    return run ? run(argc, argv) : 3;
}
END
ok "a program that loads a module compiles" ${CC:-cc} -o host host.c -ldl

# started TRACE MPIRUN COMMAND...: checks that $mpgtrace records the program's calls.
started() {
    local trace=$1 start=$2 calls
    shift 2
    timeout -k 5 120 $start -np 2 "$mpgtrace" record -o "$trace" "$@" >out 2>err </dev/null
    calls=$("$MPGTRACE" print "$trace" | awk '!/^#/ && $4 != "Flush" { print $1, $4 }' | sort | xargs)
    [ "$calls" = "$all" ] && return
    { echo "$calls"; cat err; } | sed 's/^/# /'
    return 1
}

# ways NAME COMPILER MPIRUN: starts a program of this MPI in every way.
ways() {
    local app=./app.$1 start=$3
    ok "$1: the program compiles" $2 -o "$app" app.c || return
    printf '#!/bin/sh\n%s\n' "$app" >"script.$1" && chmod +x "script.$1"
    printf '#!/usr/bin/env -S bash -e\n%s; exit\n' "$app" >"bash.$1" && chmod +x "bash.$1"
    for mpgtrace in "$MPGTRACE" $installed; do
        rm -rf ./*.trace
        ok "$1: itself" started a.trace "$start" "$app"
        like "... which is said" "$(cat err)" "*mpgtrace: a.trace: 2 ranks, 6 calls*"
        ok "... from a shell" started b.trace "$start" sh -c "$app && :"
        ok "... from a script" started c.trace "$start" "./script.$1"
        ok "... from env's script" started d.trace "$start" "./bash.$1"
        ok "... from env" started e.trace "$start" env A=b "$app"
        ok "... in another folder, by PATH" started f.trace "$start" env PATH="$tmp:$PATH" "app.$1"
    done
    # Neither the launcher, which mpgtrace record starts here, nor the program is linked to an MPI.
    ok "$1: a module compiles" $2 -shared -fPIC -Dmain=run -o "module.$1" app.c || return
    # shellcheck disable=SC2086 # words
    timeout -k 5 120 "$MPGTRACE" record -o g.trace $start -np 2 ./host "./module.$1" >out 2>err </dev/null
    is "... that a program loads late, all started by record" \
        "$? $("$MPGTRACE" print g.trace | awk '!/^#/ && $4 != "Flush" { print $1, $4 }' | sort | xargs)" "0 $all"
}

# Files that make install installs, used without the build folder.
installed=
if [ -e "$build/Makefile" ]; then
    unset MAKEFLAGS MFLAGS MAKELEVEL
    if ok "installs" eval '${MAKE:-make} -s -C "$build" DESTDIR="$tmp/root" install-exec >log 2>&1'; then
        installed=$(find "$tmp/root" -path '*/bin/mpgtrace')
        is "... nothing of libtool's" "$(find "$tmp/root" -name '*.la')" ""
        like "--version lists what is served" "$($installed --version)" \
            "*records programs of *libmpgtrace-$MPI_LIBRARY.so*"
    else
        tail -n 5 log | sed 's/^/# /'
    fi
fi
ways default "$mpicc" "$mpirun"
if [ -n "${OTHER_MPICC:-}" ] && [ -n "${OTHER_MPIRUN:-}" ]; then
    ways other "$OTHER_MPICC" "$OTHER_MPIRUN"
    mpgtrace=$MPGTRACE
    # If MPI was guessed wrongly because the command is a shell, the program corrects it.
    [ $MPI_LIBRARY = openmpi ] && wrong=openmpi || wrong=mpich
    ok "a wrong --mpi for a shell is put right" started wrong.trace "$OTHER_MPIRUN" --mpi=$wrong \
        sh -c "./app.other && :"
    "$MPGTRACE" record --mpi=$wrong -o no.trace ./app.other 2>err
    like "... for the program itself it is refused" "$?: $(cat err)" "1: *--mpi=$wrong: ./app.other is linked to *"
else
    skip "programs of another MPI" "there is one here"
fi
"$MPGTRACE" record --mpi=lam ./app.default 2>err
is "an MPI of no known name" "$?: $(cat err)" \
    "2: mpgtrace record: --mpi: 'lam' is not openmpi, mpich or abi (try 'mpgtrace record --help')"

# --- nothing, or something else, is preloaded ---
mpgtrace=$MPGTRACE
for flags in "gcc" "clang" "clang -shared-libasan"; do
    compiler=${flags%% *}
    library=
    [ "$flags" = "$compiler" ] || library="-Wl,-rpath,$(dirname "$($compiler -print-file-name=libclang_rt.asan-x86_64.so 2>&-)")"
    if command -v $compiler >/dev/null &&
        OMPI_CC=$compiler MPICH_CC=$compiler $mpicc -fsanitize=address ${flags#"$compiler"} $library -o asan app.c 2>log; then
        rm -rf asan.trace
        export ASAN_OPTIONS=detect_leaks=0
        ok "AddressSanitizer of $flags" started asan.trace "$mpirun" ./asan
    else
        skip "AddressSanitizer of $flags" "not here"
    fi
done
# A sanitizer's library by a path, as patchelf writes it: ./libasan.so is as long as libasan.so.8.
if OMPI_CC=gcc MPICH_CC=gcc $mpicc -fsanitize=address -o asan app.c 2>log && [ "$(ldd asan | grep -c 'libasan\.so\.[0-9] ')" = 1 ]; then
    ln -s "$(ldd asan | sed -nE 's/.*libasan\.so\.[0-9] => ([^ ]*) .*/\1/p')" libasan.so
    LC_ALL=C sed 's,libasan\.so\.[0-9],./libasan.so,' asan >path && chmod +x path
    rm -rf path.trace
    ok "AddressSanitizer's library by a path" started path.trace "$mpirun" ./path
else
    skip "AddressSanitizer's library by a path" "no program with libasan.so.8"
fi
echo 'int main(void) { return 3; }' >static.c
if ${CC:-cc} -static -o static static.c 2>/dev/null; then
    "$MPGTRACE" record ./static 2>err
    is "a static program runs, and it is said" "$?: $(cat err)" "3: mpgtrace record: ./static runs \
untraced: it is linked statically, so nothing can be preloaded; link it with -lmpgtrace (see mpgtrace(1))"
else
    skip "a static program" "no libc.a"
fi
${CC:-cc} -o rights static.c
if [ "$(id -u)" = 0 ] && chown nobody rights && chmod u+s rights; then
    "$MPGTRACE" record ./rights 2>err
    is "a setuid program runs, and it is said" "$?: $(cat err)" "3: mpgtrace record: ./rights runs \
untraced: it is setuid, setgid or has capabilities, so the dynamic linker preloads nothing"
    # A tracer linked into a setuid program: its variables would name files for the program's rights.
    if $mpicc -o linked app.c -Wl,--no-as-needed "$tracer" -Wl,-rpath,"${tracer%/*}" 2>log && chown nobody linked && chmod u+s linked; then
        mkdir -m 777 open
        MPGTRACE_OUTPUT=$PWD/open/linked.trace timeout 60 ./linked 2>err </dev/null
        like "a setuid program with the tracer in it says that it runs untraced" "$(cat err)" \
            "*mpgtrace: ./linked runs untraced: it is setuid, setgid or has capabilities*"
        is "... and writes no trace" "$(ls -A open)" ""
        chmod u-s linked
        rm -rf app.trace
        timeout 60 ./linked >out 2>&1 </dev/null
        ok "... and without raised rights it records" test -e app.trace/rank-0.mpgt
    else
        skip "a setuid program with the tracer in it" "not linked"
    fi
else
    skip "a setuid program" "not root"
fi
# --- jobs that fall apart, because the launcher belongs to another MPI ---
if [ -n "${OTHER_MPIRUN:-}" ]; then
    said=$(timeout -k 5 120 $OTHER_MPIRUN -np 3 "$MPGTRACE" record -o apart.trace ./app.default 2>&1 </dev/null)
    is "each rank is a job, which is said once" "$(grep -c "MPI_COMM_WORLD has 1 rank, though .* started 3: .*" <<<"$said")" 1
    is "... none is lost" "$(ls -d apart.trace* | wc -l)" 3
fi
is "srun without a protocol that the program knows is named" \
    "$(SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 timeout 60 "$MPGTRACE" record --quiet -o srun.trace ./app.default 2>&1 </dev/null | grep -c "srun started 2")" 1

# --- a program that loads another MPI than its launcher's ---
cat >loaded.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int use(void)
{
    int rank, size, count, out[3] = {1, 2, 3}, in[3] = {0}, all[1], zero[1] = {0}, one[1] = {1}, level;
    MPI_Datatype type[1] = {MPI_INT};
    MPI_Comm comm;
    MPI_Status status;
    MPI_Request requests[2];
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Irecv(in, 3, MPI_INT, rank, 5, comm, &requests[0]);
    MPI_Isend(out, 3, MPI_INT, rank, 5, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 2, MPI_INT, rank, 6, in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Alltoallw(&count, one, zero, type, all, one, zero, type, MPI_COMM_SELF);
    MPI_Pcontrol(1);
    printf("%d %d, %d received, tag %d, %d\n", size, in[2], all[0], status.MPI_TAG, MPI_Wtime() > 0 && MPI_Wtick() > 0);
    fflush(stdout);
    MPI_Comm_free(&comm);
    return MPI_Finalize() == MPI_SUCCESS ? 7 : 8;
}
END
printf 'subroutine use() bind(c)\n  use mpi\n  integer :: e, n\n  call MPI_Init(e)\n  call MPI_Comm_size(MPI_COMM_WORLD, n, e)\n  print *, n\n  call MPI_Finalize(e)\nend\n' >loaded.f90
printf '#include <dlfcn.h>\nint main(int n, char **v)\n{\n    void *m = n > 1 ? dlopen(v[1], RTLD_NOW) : 0;\n    int (*use)(void) = m ? (int (*)(void))dlsym(m, "use") : 0;\n    return use ? use() : 9;\n}\n' >loads.c
${CC:-cc} -o loads loads.c -ldl

names_another=", and this tracer is for *: mpgtrace record --mpi names another"
# as_untraced MPIRUN MODULE PATTERN [PATTERN]: checks that a program that loads MODULE runs as without the tracer, and
# that one line, which matches one of the patterns, says that nothing is traced.
as_untraced() {
    local start=$1 module=$2 plain traced pattern=$3
    plain=$(timeout -k 5 60 $start -np 1 ./loads "$module" 2>untraced; echo "status $?")
    traced=$(timeout -k 5 60 $start -np 1 "$MPGTRACE" record -o loaded.trace ./loads "$module" 2>err; echo "status $?")
    is "$module: its output and status are those that it has untraced" "$traced" "$plain"
    case $plain in # MPICH 5.0.2 does not start under mpirun of Open MPI 6.0.0rc2 (Debian forky)
    *1*status*) ok "... which are no failure to begin" true ;;
    *) skip "... which are no failure to begin" "it does not start under '$start', untraced: $plain" ;;
    esac
    # Fortran functions of some MPIs call no function that the tracer wraps.
    grep -q "no MPI_Init was seen" err && pattern=${4:-$3}
    like "... one line says so" "$(grep ^mpgtrace err)" "mpgtrace: $pattern"
    ok "... there is no trace" test ! -e loaded.trace/rank-0.mpgt
}

# another_loaded WORD COMPILER FORTRAN MPIRUN: all cases with a module of one MPI, started by the launcher of another.
another_loaded() {
    ok "$1: a module compiles" $2 -w -shared -fPIC -o ./loaded.$1.so loaded.c &&
        as_untraced "$4" ./loaded.$1.so "./loaded.$1.so runs untraced: it calls */libmpi*$names_another"
    if command -v "${3%% *}" >/dev/null; then
        ok "$1: a module in Fortran compiles" $3 -w -shared -fPIC -o ./fortran.$1.so loaded.f90 &&
            as_untraced "$4" ./fortran.$1.so "*untraced: *libmpi*$names_another" "*no MPI_Init was seen in ./loads, which has loaded *libmpi*$names_another"
    else
        skip "$1: a module in Fortran" "no $3"
    fi
}
if [ -n "${OTHER_MPICC:-}" ] && [ -n "${OTHER_MPIRUN:-}" ]; then
    another_loaded other "$OTHER_MPICC" "${OTHER_MPIFORT:-none}" "$mpirun"
    another_loaded own "$mpicc" "$mpifort" "$OTHER_MPIRUN"
else
    skip "a module of another MPI" "there is one here"
fi

# --- the same MPI library is used as without the tracer, and no other ---
mapped='#include <mpi.h>
#include <stdio.h>
#include <string.h>
static void show(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "r-xp") && strstr(line, "/libmpi") && !strstr(line, "libmpgtrace"))
            printf("%s", strchr(line, 47));
    fclose(maps);
}
'
real=$(ldd ./app.default | sed -nE 's/^[[:space:]]*libmpi(ch)?\.so[^ ]* => ([^ ]*) .*/\2/p')
base=$(basename "$real")
mkdir -p site && cp "$real" "site/$base"
printf '%s' "$mapped" >module.c
cat >>module.c <<'END'
int use(void)
{
    int rank;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
        return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    show();
    fflush(stdout);
    return MPI_Finalize();
}
END
cat >host.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *module = dlopen("./module.so", RTLD_NOW);
    int (*use)(void) = module ? (int (*)(void))dlsym(module, "use") : 0;
    return use ? use() : 9;
}
END
ok "a module with an MPI of its own compiles" eval '$mpicc -shared -fPIC -o module.so module.c \
    -Wl,-rpath,"$tmp/site" -Wl,--disable-new-dtags && ${CC:-cc} -o host host.c -ldl'
is "it has that one" "$(timeout 60 $mpirun -np 1 ./host 2>&1)" "$tmp/site/$base"
is "... recorded, too" "$(timeout 60 $mpirun -np 1 "$MPGTRACE" record --quiet -o module.trace ./host 2>&1)" "$tmp/site/$base"
is "... with its calls" "$("$MPGTRACE" print module.trace | awk '!/^#/ && $4 != "Flush" { print $4 }' | xargs)" "Init Comm_rank Barrier Finalize"

# --- another tool between the program and MPI ---
cat >tool.c <<'END'
#include <mpi.h>
#include <stdio.h>
static int barriers;
int MPI_Barrier(MPI_Comm comm) { barriers++; return PMPI_Barrier(comm); }
int MPI_Finalize(void) { printf("%d barriers\n", barriers); return PMPI_Finalize(); }
END
printf '#include <mpi.h>\nint tool(int *argc, char ***argv) { return PMPI_Init(argc, argv); }\nint MPI_Init(int *argc, char ***argv) { return tool(argc, argv); }\n' >init.c
ok "a tool compiles" eval '$mpicc -shared -fPIC -o libtool.so tool.c && $mpicc -o needs app.c -L. -ltool -Wl,-rpath,"$tmp" &&
    $mpicc -o holds app.c tool.c && $mpicc -o begins app.c init.c'
ways='Init Barrier Finalize'
for run in "preloaded env LD_PRELOAD=$tmp/libtool.so $MPGTRACE record --quiet -o preloaded.trace ./app.default" \
    "linked $MPGTRACE record --quiet -o linked.trace ./needs"; do
    is "${run%% *}: it sees what it would see" "$(timeout 60 $mpirun -np 1 ${run#* } 2>&1)" "1 barriers"
    is "... and so does the tracer, once" "$("$MPGTRACE" print ${run%% *}.trace | awk '!/^#/ && $4 != "Flush" { print $4 }' | xargs)" "$ways"
done
like "what a program defines itself is said to be missing" \
    "$(timeout 60 $mpirun -np 1 "$MPGTRACE" record --quiet -o holds.trace ./holds 2>&1)" \
    "*mpgtrace: MPI_Barrier and 1 more of MPI's functions are defined in ./holds, before the tracer's: it does not see calls of them*"
like "... MPI_Init, too" "$(timeout 60 $mpirun -np 1 "$MPGTRACE" record -o begins.trace ./begins 2>&1)" \
    "*nothing was traced: MPI_Init is defined in ./begins, before the tracer's*"

# An MPI library with MPICH's ABI and another name, like those of Intel and Cray.
if [ "$base" = libmpich.so.12 ]; then
    printf '%s' "$mapped" >renamed.c
    printf 'int main(void)\n{\n    MPI_Init(NULL, NULL);\n    show();\n    fflush(stdout);\n    return MPI_Finalize();\n}\n' >>renamed.c
    sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' "$real" >site/libmpi.so.12
    # shellcheck disable=SC2046 # options
    ok "a program with libmpi.so.12 compiles" ${CC:-cc} -o renamed $($mpicc -show | tr ' ' '\n' | grep '^-I') renamed.c \
        site/libmpi.so.12 -Wl,-rpath,"$tmp/site"
    is "... is recorded with that alone" \
        "$(timeout 60 $mpirun -np 1 "$MPGTRACE" record --quiet -o renamed.trace ./renamed 2>&1)" "$tmp/site/libmpi.so.12"
    is "... with its calls" "$("$MPGTRACE" print renamed.trace | awk '!/^#/ && $4 != "Flush" { print $4 }' | xargs)" "Init Finalize"
fi

# An MPI library of an unknown kind.
cat >abi.c <<'END'
#include <stdio.h>
int PMPI_Init(int *argc, char ***argv) { (void)argc, (void)argv; puts("its own"); return 0; }
int MPI_Init(int *argc, char ***argv) { return PMPI_Init(argc, argv); }
int MPI_Finalize(void) { return 0; }
END
printf 'int MPI_Init(int *, char ***), MPI_Finalize(void);\nint main(int n, char **v) { return MPI_Init(&n, &v) + MPI_Finalize(); }\n' >plain.c
ok "a program of an unknown MPI compiles" eval '${CC:-cc} -shared -fPIC -Wl,-soname,libmpi_odd.so.7 -o site/libmpi_odd.so.7 abi.c &&
    ${CC:-cc} -o plain plain.c site/libmpi_odd.so.7 -Wl,-rpath,"$tmp/site"'
is "... runs untraced, which is said" "$("$MPGTRACE" record -o none.trace ./plain 2>&1)" \
    "mpgtrace record: ./plain runs untraced: libmpi_odd.so.7 is of no kind that mpgtrace knows
its own"
like "... and from a shell" "$("$MPGTRACE" record -o none.trace sh -c './plain && :' 2>&1)" \
    "mpgtrace: ./plain runs untraced: */libmpi_odd.so.7 is of no kind that mpgtrace knows
its own*"
ok "a program that needs this MPI by a path compiles" eval '${CC:-cc} -shared -fPIC -o site/libmpi_odd.so.8 abi.c &&
    ${CC:-cc} -o path plain.c "$tmp/site/libmpi_odd.so.8"'
is "... runs untraced, which is said" "$("$MPGTRACE" record -o none.trace ./path 2>&1)" \
    "mpgtrace record: ./path runs untraced: libmpi_odd.so.8 is of no kind that mpgtrace knows
its own"

# An MPI library of the standard ABI, in a version for which there is no tracer.
ok "a program of another version of the standard ABI compiles" eval '${CC:-cc} -shared -fPIC -Wl,-soname,libmpi_abi.so.0 \
    -o site/libmpi_abi.so.0 abi.c && ${CC:-cc} -o early plain.c site/libmpi_abi.so.0 -Wl,-rpath,"$tmp/site"'
if [ -e "$tracer_folder/libmpgtrace-abi.so" ]; then
    why="the tracer was built for libmpi_abi.so.1 of MPI's standard ABI, not */libmpi_abi.so.0" file=""
else
    why="mpgkit was built without MPI's standard ABI" file=" (libmpi_abi.so.0)"
fi
is "... runs untraced, which is said" "$("$MPGTRACE" record -o none.trace ./early 2>&1)" \
    "mpgtrace record: ./early runs untraced: ${why/\*\/}$file
its own"
like "... and from a shell" "$("$MPGTRACE" record -o none.trace sh -c './early && :' 2>&1)" \
    "mpgtrace: ./early runs untraced: $why
its own*"

done_testing
