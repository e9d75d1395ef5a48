#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/mpi.sh (TAP): what it names for launchers of several versions, here stand-ins that say no more than
# their version, and that nothing else names it.
set -u
cd "${top_srcdir:?}" || exit 1
. tests/tap.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

launcher() { # NAME FIRST-LINE
    printf '#!/bin/sh\n[ "$*" = --version ] && echo "%s"\n' "$2" >"$work/$1"
    chmod +x "$work/$1"
}
launcher old "mpirun (Open MPI) 4.1.4"
launcher older "mpirun (Open MPI) 1.10.7"
launcher five "mpirun (Open MPI) 5.0.7"
launcher six "mpirun (Open MPI) 6.0.0rc2"
launcher ten "mpirun (Open MPI) 10.0.1"
launcher hydra "HYDRA build details:"
launcher slurm "slurm 23.11.4"

kinds=$(for name in older old five six ten hydra slurm; do mpi_launcher "$work/$name --with options"; done | tr '\n' ' ')
is "launchers by what they say" "$kinds" "openmpi4 openmpi4 openmpi5 openmpi6 openmpi6 hydra other "
is "one that is not there" "$(mpi_launcher "$work/none")" other

# settings NAME WORD...: prints the settings for launcher NAME as one line, without those for root.
settings() {
    local name=$1
    shift
    mpi_settings "$work/$name" "$@" | grep -v RUN_AS_ROOT | tr '\n' ' '
}
is "more ranks than cores, Open MPI 4" "$(settings old crowd)" "OMPI_MCA_rmaps_base_oversubscribe=1 "
is "... 5" "$(settings five crowd)" "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe "
is "... 6" "$(settings six crowd)" "PRTE_MCA_mapby=:oversubscribe "
is "... MPICH" "$(settings hydra crowd yield shm files unbound)" ""
as_root=0
[ "$(id -u)" -ne 0 ] || as_root=2
is "as root, where one is" "$(mpi_settings "$work/six" root | grep -c '^OMPI_ALLOW_RUN_AS_ROOT.*=1$')" "$as_root"
is "what is shared" "$(TMPDIR=/t settings old tmpdir), $(TMPDIR=/t settings six tmpdir)" \
    "OMPI_MCA_btl_vader_backing_directory=/t , OMPI_MCA_btl_sm_backing_directory=/t "
is "one host" "$(settings old here), $(settings five here)" ", OMPI_MCA_btl=self,sm "
is "shared memory" "$(settings old shm), $(settings six shm)" \
    "OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader , OMPI_MCA_pml=ob1 OMPI_MCA_osc=^ucx OMPI_MCA_btl=self,sm "
is "one host after another" "$(mpi_between_hosts "$work/five" a.sh 192.0.2.0/24 | grep -c 'a.sh$\|192.0.2.0/24$')" 3
is "options" "$(mpi_options "$work/five" crowd unbound), $(mpi_options "$work/hydra" crowd unbound)" \
    "--oversubscribe --bind-to none , -bind-to none "

(mpi_forget crowd yield here ob1 && mpi_set "$work/five" crowd yield && env | grep _MCA_ | sort >"$work/env")
is "they are exported" "$(tr '\n' ' ' <"$work/env")" \
    "OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe "
for word in crowd yield ob1 here shm tcp windows files unbound tmpdir; do
    for name in old five six; do
        (for _ in old five six; do mpi_forget $word; done
            before=$(env | sort)
            mpi_set "$work/$name" $word && mpi_forget $word && env | grep -v RUN_AS_ROOT | sort |
                diff - <(grep -v RUN_AS_ROOT <<<"$before")) || echo "$word $name"
    done
done >"$work/left"
is "and taken away again" "$(cat "$work/left")" ""
mpi_set "$work/five" crowed 2>"$work/err"
is "an unknown word" "$? $(cat "$work/err")" "2 mpi.sh: unknown setting 'crowed'"

is "no other script says how ranks are started" \
    "$(grep -rlE 'OMPI_ALLOW_RUN_AS_ROOT|(OMPI|PRTE)_MCA_(rmaps|mapby|hwloc|plm|oob|mpi_yield|fcoll|btl)' \
        quickstart runtests build-aux/setup.sh bench examples validate tests docs README.md |
        grep -vE 'examples/mpi.sh|test-mpi-settings.sh|/corpus-|docs/html/|\.log$|\.trs$|docs/results-format.md|docs/guide/slurm.md|test-mpgsim-source.sh')" ""
done_testing
