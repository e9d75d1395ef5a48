#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Hypotheses about callsites by name (TAP): function and line as binutils have them of a program's file, and of modules that
# are not there.
. "$(dirname "$0")/mpgsim.sh"

program=$top_builddir/tests/simulate/test-share
nm=$(type -P nm) addr2line=$(type -P addr2line) readelf=$(type -P readelf)

# sent HYPOTHESIS...: prints how many messages the trace has left.
sent() {
    "$mpgsim" "${@/#/--hypothesis=}" sites.txt | sed -n '1s/.* calls, \([0-9]*\) message.*/\1/p'
}
refused() {
    ok "$1: $2" refuses 1 "mpgsim: '$1': $2" "--hypothesis=$1" sites.txt
}

# Four messages: one is sent in a module that does not exist here, one and two by two calls of the program.
modules='#module 0 = - "/nowhere/gone"'
sites='#site 0 = 0+0x10
#site 1 = 0+0x20 0+0x10'
if [ "$nm" ] && [ "$addr2line" ] && [ "$readelf" ]; then
    # The last of main's first ten bytes: a call there would have the return address after it.
    main=0x$("$nm" "$program" | awk '$3 == "main" { print $1 }')
    at=$(printf '0x%x' $((main + 9)))
    id=$("$readelf" -n "$program" | awk '/Build ID:/ { print $3 }')
    line=$("$addr2line" -e "$program" "$at" | sed 's/ (.*//')
    [ "$id" ] || line=
    modules+=$'\n'"#module 1 = ${id:--} \"$(realpath "$program")\""
    sites+=$'\n'"#site 2 = 1+$(printf '0x%x' $((at + 1)))"
fi
{
    printf '#mpgtext 1\n#ranks 2\n#comm 0 = 0 1\n%s\n%s\n0 0 100 Init\n1 0 100 Init\n' "$modules" "$sites"
    at=1000
    for site in 0 1 1 ${line:+2}; do
        echo "0 $at $((at + 10)) Send comm=0 to=1 tag=1 bytes=8 site=$site"
        echo "1 $at $((at + 50)) Recv comm=0 from=0 tag=1 bytes=8"
        at=$((at + 100))
    done
    printf '0 9000 9100 Finalize\n1 9000 9100 Finalize\n'
} >sites.txt
all=$((3 + (${#line} > 0)))

is "all of them" "$(sent 'drop tag=1 site=0')" $((all - 1))
is "by number" "$(sent 'drop site=1')" $((all - 2))
is "by module and place" "$(sent 'drop site=gone+0x20')" $((all - 2))
is "... the innermost alone" "$(sent 'drop site=gone+0x10')" $((all - 1))
is "... two hypotheses" "$(sent 'drop site=gone+0x10' 'drop site=gone+0x20')" $((all - 3))
is "... with other words" "$(sent 'drop call=Send site=gone+0x20 bytes=8-8')" $((all - 2))
refused 'drop site=gone+0x20 tag=2' 'selects no message, collective or one-sided epoch of the trace'
none="(mpgtrace stat --callsites shows their names; print, their numbers)"
for name in gone gone+0x2 one+0x20 gone+0x200 nowhere/gone+0x20; do
    refused "drop site=$name" "no callsite of the trace is called '$name' $none"
done
refused 'drop site=3' "there is no callsite 3 in the trace, which has $((all - 1)) (mpgtrace print shows their numbers)"

if [ "$line" ] && [ "${line%:*}" != '??' ] && grep -q '^#define HAVE_DW 1' "$top_builddir/config.h"; then
    file=${line%:*} number=${line##*:}
    is "by function" "$(sent 'drop site=main')" $((all - 1))
    is "by file and line ($(basename "$file"):$number)" "$(sent "drop site=$(basename "$file"):$number")" $((all - 1))
    is "... with its folder" "$(sent "drop site=\"$(basename "$(dirname "$file")")/$(basename "$file"):$number\"")" $((all - 1))
    for name in mai "$(basename "$file"):$((number + 100))" "$(basename "$file"):${number}0" "x$(basename "$file"):$number" \
        "$(basename "$file" | cut -c2-):$number" "$(basename "$file"):" ":$number"; do
        refused "drop site=$name" "no callsite of the trace is called '$name' $none"
    done
else
    skip "by function and line" "no binutils, or no libdw"
fi
done_testing
