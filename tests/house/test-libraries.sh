#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Libraries that are loaded into programs (TAP): the tracer, what re-enacts, what gathers. Each lists its own sources; what it
# calls of ours it has, as a name that nobody has is found out in somebody's program only, or when it is called.
set -u
cd "${top_builddir:?}" || exit 1
. "${top_srcdir:?}/tests/tap.sh"

libraries=$(find trace simulate replay -path '*/.libs/*.so' 2>/dev/null | sort)
[ -n "$libraries" ] || skip_all "no libraries are built"
command -v nm >/dev/null 2>&1 || skip_all "no nm"
for library in $libraries; do
    lacks="no names" names=$(nm -D --undefined-only "$library" | awk '{ print $NF }')
    [ -z "$names" ] || lacks=$(printf '%s\n' "$names" | grep -E '^(mpg|graph|play|crew|guard|taken)_')
    ok "$(basename "$library") has all that it calls of ours" test -z "$lacks"
    [ -z "$lacks" ] || printf '%s\n' "$lacks" | sed 's/^/# /'
done
# Names in the tracer's libraries: a program that is linked to them may use all names except those of MPI and mpgtrace_.
# (The preloaded library also defines dlsym, to hand out wrappers.)
for library in trace/pmpi/libmpgtrace*.a trace/pmpi/.libs/libmpgtrace*.so; do
    [ -f "$library" ] || continue
    case $library in *.so) names=$(nm -D -g --defined-only "$library") ;; *) names=$(nm -g --defined-only "$library") ;; esac
    case $library in */libmpgtrace-*.so) own='^([Mm][Pp][Ii][Xx]?_|mpgtrace_|dlsym$|ompt_start_tool$)' ;; *) own='^([Mm][Pp][Ii][Xx]?_|mpgtrace_|ompt_start_tool$)' ;; esac
    others=$(awk 'NF == 3 { print $3 }' <<<"$names" | grep -Ev "$own")
    ok "$(basename "$library") has names of MPI and mpgtrace_ alone" test -z "$others"
    [ -z "$others" ] || printf '%s\n' "$others" | sed 's/^/# /'
    case $library in
        *papi* | *-names.so) ;; # counters, and further Fortran names, have none
        *) ok "... MPI_Send among them" grep -q ' T MPI_Send$' <<<"$names" ;;
    esac
done
done_testing
