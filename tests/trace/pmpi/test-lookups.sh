#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that look functions of MPI up in its library by dlsym are recorded like others (TAP); where the tracer must not give them its
# wrapper, they get what dlsym finds, and one line names the functions.
# shellcheck disable=SC2086,SC2154
set -u
. "$(dirname "$0")/traced.sh"
[ "${MPGKIT_SANITIZERS:-no}" = no ] || skip_all "a sanitized tracer cannot be preloaded"
needs "$mpicc"
nm -D --defined-only "$tracer" | grep -q ' T dlsym$' || skip_all "the tracer has no dlsym for this machine or C library"
is "a program that is linked with the tracer has the C library's dlsym" \
    "$(nm -D --defined-only "$tracer_folder/libmpgtrace.so" | grep -c ' dlsym$')" 0

# called TRACE: prints the names of its calls, rank by rank.
called() {
    "$MPGTRACE" print "$1" | sed -nE '/^[0-9]+ [0-9]+ [0-9]+ Flush/d; s/^([0-9]+) [0-9]+ [0-9]+ ([A-Za-z_]+).*/\1 \2/p' | sort -s -n -k1,1 | xargs
}

# started COMMAND...: runs COMMAND; output in out and err.
started() {
    timeout -k 5 120 "$@" >out 2>err </dev/null && return
    sed 's/^/# /' err | head -20
    return 1
}

ldd "$tracer" | sed -nE 's/.*(=> |^[[:space:]])(\/[^ ]*) .*/\2/p' | xargs -n 1 readlink -f >needed
all="0 Init 0 Comm_rank 0 Send 0 Barrier 0 Finalize 1 Init 1 Comm_rank 1 Recv 1 Barrier 1 Finalize"

# looked_up WORD COMPILER MPIRUN: all cases with this MPI.
looked_up() {
    local word=$1 compiler=$2 start=$3 library program other
    ok "$word: a program with MPI compiles" $compiler -DLINKED -o linked "$here/lookups.c" || return
    ok "$word: a program without MPI compiles" eval '$compiler -c -o late.o "$here/lookups.c" && ${CC:-cc} -o late late.o -ldl' || return
    library=$(ldd ./linked | sed -nE 's/^[[:space:]]*(libmpi(ch)?\.so[^ ]*) .*/\1/p')
    rm -rf ./*.trace
    for program in linked late; do
        ok "$word: $program runs" started $start -np 2 ./$program "$library" plain.maps
        ok "... recorded" started $start -np 2 "$MPGTRACE" record --quiet --mpi=$word -o $program.trace ./$program "$library" maps
        is "... with all of its calls" "$(called $program.trace)" "$all"
        is "... without a word" "$(cat out err)" ""
        sort -u plain.maps >one
        grep -v /libmpgtrace- maps | sort -u >two
        is "... and with the libraries that it has untraced" "$(comm -3 one two | tr -d '\t' | grep -vxFf needed)" ""
    done

    # PMPI_ functions, which programs call directly and do not look up, bypass the tracer.
    ok "$word: a program that calls PMPI_ compiles" $compiler -o second second.c
    ok "... and runs" started $start -np 2 "$MPGTRACE" record --quiet -o second.trace ./second
    is "... which is said" "$(cat err)" "mpgtrace: the program calls PMPI_Barrier past the tracer, which records MPI_ functions, not PMPI_"

    # A library that is not MPI.
    ok "$word: a program with another library runs" started $start -np 1 "$MPGTRACE" record --quiet -o other.trace ./asks ./libother.so \
        MPI_Barrier MPI_Of_mine MPI_Send MPI_Barrier MPI_Recv
    is "... which it calls" "$(sort out | uniq -c | xargs)" "2 MPI_Barrier of another 1 MPI_Of_mine of another 1 MPI_Recv of another 1 MPI_Send of another"
    is "... and that is said" "$(cat err)" \
        "mpgtrace: MPI_Barrier, MPI_Send and MPI_Recv were looked up in ./libother.so (dlsym): the tracer does not see calls of them there"
    # A function of the MPI library is looked up although a tool, preloaded behind the tracer, has it too. Through the
    # tracer, the tool would see a call that it does not see otherwise.
    ok "$word: a program with a tool runs" started $start -np 2 env LD_PRELOAD="$tmp/libtool.so" LIBRARY="$library" \
        "$MPGTRACE" record --quiet -o tool.trace ./asks "$library" MPI_Barrier
    is "... which does not see what it would not see" "$(cat out)" ""
    like "... and that is said" "$(cat err)" \
        "mpgtrace: MPI_Barrier was looked up in */$library (dlsym): the tracer does not see calls of it there"
    # A tool that looks up its next function in the MPI library gets that of MPI.
    ok "$word: a program with a tool that looks up runs" started $start -np 2 env LD_PRELOAD="$tmp/libtool.so" LIBRARY="$library" \
        "$MPGTRACE" record --quiet -o through.trace ./meets
    is "... through both" "$(grep -o tool out | xargs), $(called through.trace)" \
        "tool tool, 0 Init 0 Barrier 0 Finalize 1 Init 1 Barrier 1 Finalize"
    is "... without a word" "$(cat err)" ""
    # A preloaded malloc(3), which looks up the C library's at its first call.
    ok "$word: a program with its own malloc runs" started $start -np 2 env LD_PRELOAD="$tmp/libmalloc.so" \
        "$MPGTRACE" record --quiet -o malloc.trace ./meets
    is "... recorded" "$(called malloc.trace)" "0 Init 0 Barrier 0 Finalize 1 Init 1 Barrier 1 Finalize"
    # A tracer for another MPI.
    for other in openmpi mpich; do
        if [ $other != $word ] && [ -e "$tracer_folder/libmpgtrace-$other.so" ]; then
            ok "$word: a program runs with the tracer of $other" started $start -np 2 "$MPGTRACE" record --mpi=$other -o wrong.trace \
                ./late "$library" maps
            like "... untraced, which is said" "$(cat err)" "mpgtrace: nothing was traced: no MPI_Init was seen in ./late, which looked \
up MPI_Init, MPI_Comm_rank, MPI_* and MPI_Finalize in */$library (dlsym); this tracer is for *: mpgtrace record --mpi names another"
        fi
    done
    if command -v python3 >/dev/null; then
        cat >program.py <<'PY'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1])
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, 'ompi_mpi_comm_world')))
except ValueError:
    world = 0x44000000
assert mpi.MPI_Init(None, None) == 0
assert mpi.MPI_Barrier(world) == 0
assert mpi.MPI_Finalize() == 0
PY
        ok "$word: Python's ctypes" started $start -np 2 "$MPGTRACE" record --quiet --mpi=$word -o python.trace python3 program.py "$library"
        is "... recorded" "$(called python.trace)" "0 Init 0 Barrier 0 Finalize 1 Init 1 Barrier 1 Finalize"
        is "... without a word" "$(cat out err)" ""
    else
        skip "Python's ctypes" "no python3"
    fi
}

cat >second.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
cat >other.c <<'END'
#include <stdio.h>
int MPI_Barrier(void) { return puts("MPI_Barrier of another") < 0; }
int MPI_Send(void) { return puts("MPI_Send of another") < 0; }
int MPI_Recv(void) { return puts("MPI_Recv of another") < 0; }
int MPI_Of_mine(void) { return puts("MPI_Of_mine of another") < 0; }
END
cat >asks.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    void *library = dlopen(argv[1], RTLD_NOW);
    for (int i = 2; i < argc; i++) {
        int (*function)(MPI_Comm) = library ? (int (*)(MPI_Comm))dlsym(library, argv[i]) : 0;
        if (!function || function(MPI_COMM_WORLD) != MPI_SUCCESS)
            return 1;
    }
    return MPI_Finalize();
}
END
cat >meets.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
END
cat >tool.c <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int MPI_Barrier(MPI_Comm comm)
{
    void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);
    puts("tool");
    return ((int (*)(MPI_Comm))dlsym(library, "MPI_Barrier"))(comm);
}
END
cat >malloc.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
void *malloc(size_t bytes)
{
    static void *(*next)(size_t);
    static int inside;
    if (inside) /* dlsym has no need of memory here */
        abort();
    if (!next) {
        inside = 1;
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
        inside = 0;
    }
    return next(bytes);
}
END
${CC:-cc} -shared -fPIC -o libother.so other.c
${CC:-cc} -shared -fPIC -o libmalloc.so malloc.c -ldl

# programs_of WORD COMPILER MPIRUN
programs_of() {
    ok "$1: programs compile" eval "$2 -o asks asks.c -ldl && $2 -o meets meets.c && $2 -shared -fPIC -o libtool.so tool.c -ldl" &&
        looked_up "$@"
}
programs_of "$MPI_LIBRARY" "$mpicc" "$mpirun"
if [ -n "${OTHER_MPICC:-}" ] && [ -n "${OTHER_MPIRUN:-}" ]; then
    [ $MPI_LIBRARY = openmpi ] && other=mpich || other=openmpi
    programs_of $other "$OTHER_MPICC" "$OTHER_MPIRUN"
else
    skip "programs of another MPI" "there is one here"
fi

# RTLD_NEXT searches the libraries behind the caller.
cat >next.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int puts(const char *text)
{
    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
    int (*first)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "puts");
    return printf("%s %d %d\n", text, next && next != puts, first == puts);
}
END
echo '#include <stdio.h>
int main(void) { return puts("here") < 0; }' >puts.c
ok "a library with a function of the C library's compiles" \
    eval '${CC:-cc} -fno-builtin -shared -fPIC -o libnext.so next.c -ldl && ${CC:-cc} -fno-builtin -o puts puts.c'
is "RTLD_NEXT and RTLD_DEFAULT find what they find" "$(LD_PRELOAD="$tracer $tmp/libnext.so" ./puts)" "here 1 1"
is "... in front of the tracer, too" "$(LD_PRELOAD="$tmp/libnext.so $tracer" ./puts)" "here 1 1"
done_testing
