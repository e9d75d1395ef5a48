#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The set-up that ./quickstart and ./runtests share: installs what is missing
# (Debian and its relatives), then configures and builds in ./build. It can be
# run again at any time and then does only what is left to do.
set -u
cd "$(dirname "$0")/.." || exit 1
mkdir -p build || exit 1
log=build/setup.log
: >"$log" || exit 1

say() { printf 'set-up: %s\n' "$*" >&2; }
fail() {
    say "FAILED: $*"
    if [ -s "$log" ]; then
        say "the whole story is in $PWD/$log; its last lines:"
        tail -n 15 "$log" >&2
    fi
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }
module() { have pkg-config && pkg-config --exists "$1" 2>/dev/null; }
header() { have gcc && echo "#include <$1>" | gcc -E - >/dev/null 2>&1; }
# Returns whether somebody can type a password: standard input is a terminal, and this script is in its foreground.
asked() {
    local group foreground
    [ -t 0 ] || return
    read -r _ _ _ _ group _ _ foreground _ 2>/dev/null <"/proc/$$/stat" || return 0
    [ "$group" = "$foreground" ]
}
python_is_whole() { have python3 && python3 -c 'import fractions, graphlib, json, random' 2>/dev/null; }

# Each line: a Debian package, and the command that succeeds if what the package brings is installed.
required='
autoconf          have autoreconf
automake          have automake
libtool           have libtoolize
make              have make
gcc               have gcc
libc6-dev         header stdio.h
pkg-config        have pkg-config
libgsl-dev        module gsl
libjansson-dev    module jansson
libzstd-dev       module libzstd
zlib1g-dev        module zlib
librandom123-dev  header Random123/philox.h
libhwloc-dev      module hwloc
libopenmpi-dev    have mpicc
openmpi-bin       have mpirun
python3           python_is_whole
'
# Without these mpgkit works too: counters, the names of callsites, OTF2 archives and their tests, the causes of noise, Fortran
# tests, the example's plot, a real program to trace, tests of processes that are killed, of two hosts and of packed numbers, the
# documentation site, and the tracer's tests with the other MPI, whose packages leave mpicc and mpirun to Open MPI's.
optional='
libpapi-dev       header papi.h
libdw-dev         module libdw
libsqlite3-dev    module sqlite3
libopen-trace-format2-dev module otf2
libtracefs-dev    module libtracefs
libtraceevent-dev module libtraceevent
otf2-tools        have otf2-print
gfortran          have gfortran
gnuplot-nox       have gnuplot
hpcc              have hpcc
procps            have pgrep
iproute2          have ip
zstd              have zstd
cmark-gfm         have cmark-gfm
mandoc            have mandoc
libmpich-dev      have mpicc.mpich
mpich             have mpirun.mpich
'

# Prints the packages of table $1 whose command fails.
missing() {
    printf '%s\n' "$1" | while read -r package check; do
        [ -n "$package" ] && ! $check && printf '%s ' "$package"
    done
}

install_packages() {
    local as_root=
    if ! have apt-get; then
        say "this is no Debian; please install what these Debian packages bring: $*"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        as_root="sudo"
        asked || as_root="sudo -n"
        if ! have sudo || { ! asked && ! sudo -n true 2>>"$log"; }; then
            say "neither root nor sudo here; please have these installed: apt-get install $*"
            return 1
        fi
        say "using sudo to install packages"
    fi
    say "installing Debian packages: $*"
    local apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
    $apt update >>"$log" 2>&1 </dev/null || say "apt-get update failed; trying with the lists that are here"
    $apt install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null && return 0
    # One by one, because apt-get installs none of them if one does not exist.
    local package
    for package in "$@"; do
        $apt install --no-install-recommends "$package" >>"$log" 2>&1 </dev/null ||
            say "could not install $package"
    done
}

# ---- packages ----
absent="$(missing "$required")$(missing "$optional")"
if [ -n "$absent" ]; then
    # shellcheck disable=SC2086 # a list of names
    install_packages $absent
    hash -r
fi
configure_options=
absent=$(missing "$required")
for package in $absent; do
    case $package in
    libopenmpi-dev | openmpi-bin | libhwloc-dev)
        say "no $package here: leaving out the benchmarks and the tracer"
        configure_options=--without-mpi ;;
    python3) say "no python3 here: tests that need it will be skipped" ;;
    *) fail "missing: $absent" ;;
    esac
done
absent=$(missing "$optional")
[ -z "$absent" ] || say "going on without: $absent"

# ---- configure and build ----
if [ ! -x configure ] || [ configure.ac -nt configure ]; then
    say "making ./configure"
    ./autogen.sh >>"$log" 2>&1 || fail "autogen.sh"
fi
# Configures again if the folder was moved, or if other packages are installed than at the last time.
place="$PWD $configure_options $(missing "$optional")"
if [ ! -e build/Makefile ] || [ "$(cat build/setup.place 2>/dev/null)" != "$place" ]; then
    say "configuring in build/"
    # shellcheck disable=SC2086 # nothing or one option
    (cd build && ../configure $configure_options) >>"$log" 2>&1 || fail "configure"
    printf '%s\n' "$place" >build/setup.place
fi
say "building in build/"
make -C build -j"$(nproc 2>/dev/null || echo 2)" >>"$log" 2>&1 || fail "make"
