#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer's streams under many threads (tests/trace/pmpi/streams.c), built with a checker of data
# races (TAP).
set -u
. "$(dirname "$0")/../../tap.sh"
build=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "${top_srcdir:-.}" && pwd)
MPGTRACE=${MPGTRACE:-$build/trace/mpgtrace}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
echo 'int main(void) { return 0; }' >empty.c
${CC:-cc} -fsanitize=thread -o empty empty.c 2>/dev/null && ./empty ||
    skip_all "the compiler has no checker of data races"
parts=
for part in ${STREAM_SOURCES:?}; do
    case $part in *.c) parts="$parts $source/$part" ;; esac
done
# shellcheck disable=SC2086 # lists of words
ok "the streams compile" ${CC:-cc} -std=gnu11 -g -O1 -fsanitize=thread -DHAVE_CONFIG_H -I"$build" \
    -I"$source" $STREAM_CPPFLAGS -o streams "$source/tests/trace/pmpi/streams.c" $parts $STREAM_LIBS -lpthread
mkdir a.trace
ok "no race between threads that record, end, and are cut off" \
    sh -c './streams a.trace >number 2>complaint || { sed "s/^/# /" complaint; exit 1; }'
is "what they recorded is there" \
    "$("$MPGTRACE" print a.trace | grep -c Pcontrol)" "$(cat number)"
# Of thirteen threads at most five live at a time; on a busy machine fewer.
files=$(ls a.trace | wc -l)
ok "threads that end hand on their streams ($files files)" test "$files" -ge 2 -a "$files" -le 5
done_testing
