#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# fuzz.sh SOURCE RUNS [PARSER...]: builds the harnesses with libFuzzer in ./fuzz, with the
# address and undefined-behaviour sanitizers unless SANITIZE is "no" (several times as fast),
# and runs each for RUNS executions on what ./fuzz/found-PARSER has and the corpus in
# tests/fuzz, or for FUZZ_SECONDS if that is less; one that fails does not end the others. An input may take
# FUZZ_TIMEOUT seconds (300: on a busy machine a process waits long for its turn). CC names clang (clang-14); AFL=yes builds for afl-fuzz instead, and says how.
# -entropic=0: libFuzzer's weights of inputs take a third of the time of short executions.
set -eu
source=$1 runs=$2
shift 2
[ $# -gt 0 ] || set -- trace text profile signature results spec collectives hypotheses pipeline cache target map manifest history runs foreign
CC=${FUZZ_CC:-clang-14}
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
[ "${SANITIZE:-yes}" = yes ] || sanitize=
if [ "${AFL:-no}" = yes ]; then
    CC=${FUZZ_CC:-afl-clang-fast}
    cover=''
    main=${AFL_DRIVER:-$(find /usr/lib /usr/local/lib -name 'libAFLDriver.a' 2> /dev/null | head -n 1)}
else
    cover=-fsanitize=fuzzer-no-link
    main=$("$CC" "-print-file-name=libclang_rt.fuzzer-$(uname -m).a")
fi
[ -e "$main" ] || {
    echo "fuzz.sh: no fuzzer's library: install clang-14 (libclang-rt-14-dev) or afl++" >&2
    exit 1
}
mkdir -p fuzz
cd fuzz
[ -e Makefile ] || "$source/configure" --without-mpi --quiet CC="$CC" \
    CFLAGS="-O1 -g $cover $sanitize" LIBS="-lstdc++ -lpthread"
programs=
for parser in "$@"; do
    programs="$programs tests/fuzz/fuzz_$parser"
done
make --silent fuzz-sources
# shellcheck disable=SC2086 # several names
make --silent FUZZ_MAIN="$main" $programs
failed=
for parser in "$@"; do
    mkdir -p "found-$parser"
    if [ "${AFL:-no}" = yes ]; then
        echo "afl-fuzz -i $source/tests/fuzz/corpus-$parser -o afl-$parser -- $PWD/tests/fuzz/fuzz_$parser"
        continue
    fi
    echo "== $parser"
    TMPDIR=${TMPDIR:-/dev/shm} "tests/fuzz/fuzz_$parser" -runs="$runs" -max_len=4096 -entropic=0 -timeout="${FUZZ_TIMEOUT:-300}" \
        -max_total_time="${FUZZ_SECONDS:-0}" -rss_limit_mb=2048 -malloc_limit_mb=512 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="crash-$parser-" "found-$parser" "$source/tests/fuzz/corpus-$parser" || failed="$failed $parser"
done
[ -z "$failed" ] || { echo "fuzz.sh: failed:$failed" >&2; exit 1; }
