# shellcheck shell=bash disable=SC2015,SC2034,SC2153,SC2154 # its variables are validate.sh's
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs that validate.sh runs and predicts; it sources this file.

all_programs='halo ring stencil workers allreduce chain8 chain1k chain8k chain32k lammps hpcc
hpl scalapack mumps mpi4py'

# compile FAMILY: compiles mpgkit's own programs and the libraries to preload for the MPI library FAMILY.
compile() {
    local to=$out/programs/$1 name
    mkdir -p "$to"
    for name in chain stencil workers allreduce kinds; do
        build "$to/$name" "$top_srcdir/validate/programs/$name.c" || return 1
    done
    build "$to/halo" "$top_srcdir/examples/halo/halo.c" -lm &&
        build "$to/ring" "$top_srcdir/examples/ring/ring.c" -lm &&
        build "$to/timer.so" "$top_srcdir/validate/preload/timer.c" -shared -fPIC -ldl &&
        build "$to/slowsend.so" "$top_srcdir/validate/preload/slowsend.c" -shared -fPIC -ldl
}

# build FILE SOURCE FLAG...: compiles SOURCE to FILE, unless FILE is newer.
build() {
    local file=$1 source=$2
    shift 2
    [ ! "$file" -nt "$source" ] || return 0
    $mpicc -std=gnu11 -O2 -g -Wall -Wextra -I"$top_srcdir" -o "$file" "$source" "$@"
}

# debian NAME: sets $path to the executable NAME of a Debian package, which is linked to Open MPI. Fails, with the
# reason in $why, if it is not installed or if the current machine has another MPI.
debian() {
    [ "$family" = openmpi ] || {
        why="$1 is linked to Open MPI"
        return 1
    }
    path=$(command -v "$1") || {
        why="$1 is not installed"
        return 1
    }
}

# program NAME: sets $command to the command of program NAME for the current machine, $work to the folder in which it
# runs, with its input files, and $input to its standard input. Fails, with the reason in $why, if the program cannot
# run.
program() {
    local compiled=$out/programs/$family
    input=/dev/null command=() work=$out/work/$1 why=''
    mkdir -p "$work"
    case $1 in
    halo) command=("$compiled/halo" 4000) ;;
    ring) command=("$compiled/ring" 300 128 separate) ;;
    stencil) command=("$compiled/stencil") ;;
    workers) command=("$compiled/workers") ;;
    allreduce) command=("$compiled/allreduce") ;;
    chain8) command=("$compiled/chain" 8 20000) ;;
    chain1k) command=("$compiled/chain" 1024 20000) ;;
    chain8k) command=("$compiled/chain" 8192 8000) ;;
    chain32k) command=("$compiled/chain" 32768 8000) ;;
    lammps) program_lammps ;;
    hpcc) program_hpcc 100 ;;
    hpl) program_hpcc 400 ;;
    scalapack) program_scalapack ;;
    mumps) program_mumps ;;
    mpi4py) program_mpi4py ;;
    *) program_own "$1" ;;
    esac
}

# program_own NAME: like program(), for a program of the user, which has a line in the file $own (--own).
program_own() {
    local line
    [ "$family" = "$MPI_LIBRARY" ] || {
        why="it is linked to $MPI_LIBRARY"
        return 1
    }
    line=$(awk -v name="$1" '$1 == name { print; exit }' "${own:-/dev/null}")
    [ -n "$line" ] || {
        why="no program '$1'"
        return 1
    }
    # shellcheck disable=SC2086 # words
    set -- $line
    work=$2
    shift 2
    command=("$@")
}

program_lammps() {
    debian lmp || return 1
    local melt=/usr/share/lammps/examples/melt/in.melt
    [ -e "$melt" ] || {
        why='lammps-examples is not installed'
        return 1
    }
    sed 's/^run.*/run 100/' "$melt" >"$work/in.melt"
    command=("$path" -in in.melt -log none)
}

# program_hpcc N: HPCC with an N x N matrix. With a small N most of the time is in its tests of latency, bandwidth and
# random access; with a large N, in HPL.
program_hpcc() {
    debian hpcc || return 1
    sed "s/^1000  /$1  /; s/^80 /40 /" "$top_srcdir/examples/hpccinf.txt" >"$work/hpccinf.txt"
    rm -f "$work/hpccoutf.txt"
    command=("$path")
}

# ScaLAPACK: Cholesky factorisations of three matrices and their solutions, on a grid of 1 x 2 processes.
program_scalapack() {
    path=$(ls -d /usr/lib/*/scalapack/"$family"-tests/xdllt 2>/dev/null) || {
        why='scalapack-mpi-test is not installed'
        return 1
    }
    printf '%s\n' "'LLT'" "'2 ranks'" "'LLT.out'" 6 "'U'" 3 '600 600 600' 1 16 1 8 1 8 1 1 2 20.0 F \
        >"$work/LLT.dat"
    command=("$path")
}

# MUMPS solves for the sparse matrix of a grid of 40 x 40 cells, and a right-hand side of ones.
program_mumps() {
    [ "$family" = openmpi ] && [ -x /usr/lib/mumps/dsimpletest ] || {
        why='mumps-test is not installed, or not for this MPI'
        return 1
    }
    input=$work/input
    awk -v n=40 'BEGIN { for (i = 0; i < n * n; i++) {
            line[k++] = i + 1 " " i + 1 " 4.5"
            if (i % n) { line[k++] = i + 1 " " i " -1.0"; line[k++] = i " " i + 1 " -1.0" }
            if (i >= n) { line[k++] = i + 1 " " i + 1 - n " -1.0"; line[k++] = i + 1 - n " " i + 1 " -1.0" } }
        print n * n, ":N"; print k, ":NZ"
        for (i = 0; i < k; i++) print line[i]
        for (i = 0; i < n * n; i++) print "1.0" }' >"$input"
    command=(/usr/lib/mumps/dsimpletest)
}

program_mpi4py() {
    local python
    [ "$family" = openmpi ] || {
        why='mpi4py is linked to Open MPI'
        return 1
    }
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import mpi4py.bench' 2>/dev/null || continue
        command=("$python" -m mpi4py.bench ringtest -q -n 1024 -l 2000)
        return
    done
    why='mpi4py is not installed'
    return 1
}
