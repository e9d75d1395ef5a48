#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# trace/calls.def against the installed mpi.h, and the tracer against both (TAP): every
# function of MPI-4.0 is in the table as the library declares it, and has a wrapper.
# shellcheck disable=SC2086
set -u
. "$(dirname "$0")/../../tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
mpicc=${MPICC:-mpicc}
library=$build/trace/pmpi/.libs/libmpgtrace-${MPI_LIBRARY:-openmpi}.so
[ "${MPGKIT_MPI:-yes}" = yes ] || skip_all "built without MPI"
command -v "${mpicc%% *}" >/dev/null || skip_all "no $mpicc"
[ -f "$library" ] || skip_all "no $library"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# Prints "name result type,type,..." for all functions that a header or the table declares; T [] becomes T *, MPI_Fint
# becomes int, and const is removed, because older headers lack it.
cat >prototypes.awk <<'EOF'
function plain(t) {
    gsub(/const /, "", t)
    gsub(/MPI_Fint/, "int", t)
    sub(/MPI_Handler_function/, "MPI_Comm_errhandler_function", t)
    gsub(/\[[0-9]+\]/, "[N]", t)
    sub(/ ?\[\]/, " *", t)
    gsub(/ /, "", t)
    return t
}
{ text = text "\n" $0 }
END {
    if (what == "table") {
        read_calls(text)
        for (i = 1; i <= calls; i++) {
            name = call_name[i]
            line = name " " plain(result[name]) " "
            if (!parameters[name])
                line = line "void"
            for (k = 1; k <= parameters[name]; k++)
                line = line (k > 1 ? "," : "") plain(type[name, k])
            if (kind[name] !~ /^(FLUSH|UNRECORDED|REGION_BEGIN|REGION_END)$/)
                print line
        }
        exit
    }
    gsub(/[ \t\n]+/, " ", text)
    while (match(text, /[A-Za-z_]+ MPI_[A-Z][A-Za-z_0-9]* ?\([^()]*\)/)) {
        split(substr(text, RSTART, RLENGTH), word, / /)
        proto = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        name = substr(word[2], 5)
        sub(/\(.*/, "", name)
        list = substr(proto, index(proto, "(") + 1)
        sub(/\)$/, "", list)
        n = list ~ /^ *(void)? *$/ ? 0 : split(list, parts, /, */)
        line = name " " plain(word[1]) " "
        if (!n)
            line = line "void"
        for (k = 1; k <= n; k++)
            line = line (k > 1 ? "," : "") (parts[k] == "..." ? "..." : plain(type_of(parts[k])))
        if (word[1] !~ /^(return|typedef)$/ && !seen[name]++)
            print line
    }
}
EOF
awk -v what=table -f "$here/../../../trace/pmpi/calls.awk" -f prototypes.awk "$here/../../../trace/calls.def" |
    sort >table
echo '#include <mpi.h>
#if defined MPICH || OMPI_MAJOR_VERSION >= 5
ELSEWHERE ^Status_.*f08
#endif' >all.c
$mpicc -E -P -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 all.c >all.i || skip_all "$mpicc -E does not work"
awk -f "$here/../../../trace/pmpi/calls.awk" -f prototypes.awk all.i | sort >header
# Excludes conversions of statuses, because MPICH declares in mpi.h functions of its Fortran library, which may be
# absent.
elsewhere=$(sed -n 's/^ELSEWHERE //p' all.i)
join -j 1 -o 1.1 header table >both

ok "mpi.h declares most of the table" test "$(wc -l <both)" -ge 380
join -j 1 header table | awk '$2 != $4 || $3 != $5' >different
is "types are those of mpi.h" "$(cat different)" ""
# Of the interface for tools, functions about events are only counted. Session_set_info exists in Open MPI only.
is "the table has all that mpi.h declares" \
    "$(join -v 1 header table | cut -d' ' -f1 | grep -vE "^T_(event|source|category_get.*events$)|^Session_set_info$|${elsewhere:-^$}")" ""
nm -D --defined-only "$library" | sed -n 's/^.* [TW] MPI_//p' | sort >wrapped
is "all that mpi.h declares is wrapped" \
    "$(join -v 1 header wrapped | cut -d' ' -f1 | grep -v "${elsewhere:-^$}")" ""

# Functions that the table does not know are counted, and call the library.
echo 'int MPI_Later_exchange(const void *a, int n, MPI_Request *r); double MPI_Wtime(void);
int MPI_Later_thing(int v[], ...); int MPIX_Later_query(int *v);
int MPIX_Barrier_init(MPI_Comm c, MPI_Info i, MPI_Request *r);
int MPIX_Wait(MPI_Request *r, MPI_Status *s, int more);' >new.i
awk -v table="$here/../../../trace/calls.def" -f "$here/../../../trace/pmpi/calls.awk" \
    -f "$here/../../../trace/pmpi/wrap.awk" new.i >new.c
like "a call that it does not know is recorded by its name" "$(cat new.c)" \
    '*int wrapped_MPI_Later_exchange(const void \*a, int n, MPI_Request \*r)*TRACER_ENTER(MPG_CALL_Unknown)*result = NEXT(Later_exchange)(a, n, r);*record_unknown(&s, 0);*{"MPI_Later_exchange", false},*'
like "... behind an entry that hands its arguments on as they are" "$(cat new.c)" \
    '*long entry_MPI_Later_exchange(long a1, long a2, long a3)*return other(a1, a2, a3);*return after_MPI_Later_exchange(a1, a2, a3);*'
like "... or counted if it is given nothing to communicate by" "$(cat new.c)" \
    '*int wrapped_MPIX_Later_query(int \*v)*tracer_count(1, *);*return EXTENSION(Later_query)(v);*{"MPIX_Later_query", true},*'
like "what was an extension before the standard had it is known" "$(cat new.c)" \
    '*int wrapped_MPIX_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request \*request)*TRACER_ENTER(MPG_CALL_Barrier_init)*record_collective(*'
like "... but nothing else of that name" "$(cat new.c)" '*{"MPIX_Wait", false},*'
like "one that it knows is recorded" "$(cat new.c)" \
    '*double wrapped_MPI_Wtime(void)*TRACER_ENTER(MPG_CALL_Wtime);*double rc = NEXT(Wtime)();*record_other(&s);*return rc;*'
is "one that cannot be handed on is left alone" "$(grep -c Later_thing new.c)" 0
done_testing
