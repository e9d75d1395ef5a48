# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of MPI launchers and libraries under the names of Open MPI 4, 5 and 6. MPICH needs none of them. Source
# this file, then
#     mpi_set mpirun crowd yield
# The settings, words for mpi_set, mpi_settings and mpi_forget:
#     root    root may start the launcher (no effect for other users)
#     crowd   root, and more ranks than cores
#     yield   waiting ranks yield the core
#     ob1     messages and one-sided operations use Open MPI's own transports, not UCX or libfabric
#     here    all ranks are on this host: Open MPI 5 and later do not search for a network, and do
#             not warn for each pair of ranks if there is none
#     shm     ob1, and messages use shared memory only
#     tcp     ob1, and messages use TCP on the loopback device
#     windows one-sided operations are reads and writes of shared memory
#     files   collective writes become single writes: Open MPI 4.1.4's default, vulcan, sometimes
#             ends in a segmentation fault
#     unbound ranks are not bound to cores
#     tmpdir  shared files are in $TMPDIR, not in /dev/shm, where they remain after a kill

# mpi_launcher MPIRUN: prints the kind of MPIRUN (a command that may have arguments), from its
# --version: openmpi4 (or earlier), openmpi5, openmpi6 (or later), hydra or other.
mpi_launcher() {
    case $("${1%% *}" --version 2>/dev/null </dev/null) in
    *"(Open MPI) "[1-4].* | *"(OpenRTE)"*) echo openmpi4 ;;
    *"(Open MPI) 5."*) echo openmpi5 ;;
    *"(Open MPI)"*) echo openmpi6 ;;
    *HYDRA*) echo hydra ;;
    *) echo other ;;
    esac
}

# mpi_settings MPIRUN WORD...: prints NAME=VALUE lines without spaces or quotes; status 2 for an
# unknown WORD.
mpi_settings() {
    mpi_kind=$(mpi_launcher "$1")
    shift
    for mpi_word in "$@"; do
        case $mpi_word in
        root | crowd | yield | ob1 | here | shm | tcp | windows | files | unbound | tmpdir) ;;
        *) echo "mpi.sh: unknown setting '$mpi_word'" >&2; return 2 ;;
        esac
        case $mpi_kind in openmpi*) ;; *) continue ;; esac
        case $mpi_word in
        root | crowd)
            [ "$(id -u)" -ne 0 ] || printf '%s=1\n' OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ;;
        yield) echo OMPI_MCA_mpi_yield_when_idle=1 ;;
        ob1 | shm | tcp) echo OMPI_MCA_pml=ob1 ;;
        windows) echo OMPI_MCA_osc=sm ;;
        files) echo OMPI_MCA_fcoll=individual ;;
        esac
        case $mpi_word:$mpi_kind in
        ob1:openmpi4 | shm:openmpi4 | tcp:openmpi4) ;;
        ob1:* | shm:* | tcp:*) echo OMPI_MCA_osc=^ucx ;; # ucx warns in each process if there is no device
        esac
        case $mpi_word:$mpi_kind in
        crowd:openmpi4) echo OMPI_MCA_rmaps_base_oversubscribe=1 ;;
        crowd:openmpi5) echo PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
        crowd:*) echo PRTE_MCA_mapby=:oversubscribe ;;
        unbound:openmpi4) echo OMPI_MCA_hwloc_base_binding_policy=none ;;
        unbound:openmpi5) echo PRTE_MCA_hwloc_default_binding_policy=none ;;
        unbound:*) echo PRTE_MCA_bindto=none ;;
        tmpdir:openmpi4) echo "OMPI_MCA_btl_vader_backing_directory=${TMPDIR:-/tmp}" ;;
        tmpdir:*) echo "OMPI_MCA_btl_sm_backing_directory=${TMPDIR:-/tmp}" ;;
        shm:openmpi4) echo OMPI_MCA_btl=self,vader ;;
        here:openmpi4) ;;
        here:* | shm:*) echo OMPI_MCA_btl=self,sm ;;
        tcp:*) printf '%s\n' OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo ;;
        esac
    done
}

# mpi_between_hosts MPIRUN AGENT NETWORK: prints settings, as mpi_settings does: MPIRUN starts ranks on other hosts by
# AGENT (instead of ssh), and all ranks use TCP in NETWORK (192.0.2.0/24).
mpi_between_hosts() {
    printf 'UCX_TLS=tcp,self\n'
    mpi_kind=$(mpi_launcher "$1")
    case $mpi_kind in
    openmpi*)
        mpi_settings "$1" crowd ob1
        printf '%s\n' OMPI_MCA_btl=self,tcp "OMPI_MCA_btl_tcp_if_include=$3"
        ;;
    esac
    case $mpi_kind in
    openmpi4) printf '%s\n' "OMPI_MCA_plm_rsh_agent=$2" "OMPI_MCA_oob_tcp_if_include=$3" ;;
    openmpi*) printf '%s\n' "PRTE_MCA_plm_ssh_agent=$2" "PRTE_MCA_prte_if_include=$3" ;;
    esac
}

# mpi_options MPIRUN WORD...: prints options of the launcher: root and crowd as above, or unbound: no
# rank is bound to a core.
mpi_options() {
    mpi_kind=$(mpi_launcher "$1")
    shift
    for mpi_word in "$@"; do
        case $mpi_word:$mpi_kind in
        root:openmpi*) [ "$(id -u)" -ne 0 ] || printf '%s ' --allow-run-as-root ;;
        crowd:openmpi*) printf '%s ' --oversubscribe ;;
        unbound:openmpi*) printf '%s ' --bind-to none ;;
        unbound:hydra) printf '%s ' -bind-to none ;;
        root:* | crowd:* | unbound:*) ;;
        *) echo "mpi.sh: unknown option '$mpi_word'" >&2; return 2 ;;
        esac
    done
}

# mpi_set MPIRUN WORD...: exports the settings.
mpi_set() {
    mpi_lines=$(mpi_settings "$@") || return
    # shellcheck disable=SC2086,SC2163 # words, NAME=VALUE each
    set -- $mpi_lines && { [ $# -eq 0 ] || export "$@"; }
}

# mpi_forget WORD...: removes the settings for all launchers.
mpi_forget() {
    for mpi_word in "$@"; do
        case $mpi_word in
        crowd) unset OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_mapby ;;
        yield) unset OMPI_MCA_mpi_yield_when_idle ;;
        ob1) unset OMPI_MCA_pml OMPI_MCA_osc ;;
        here) unset OMPI_MCA_btl ;;
        shm | tcp) unset OMPI_MCA_pml OMPI_MCA_osc OMPI_MCA_btl OMPI_MCA_btl_tcp_if_include ;;
        windows) unset OMPI_MCA_osc ;;
        files) unset OMPI_MCA_fcoll ;;
        unbound) unset OMPI_MCA_hwloc_base_binding_policy PRTE_MCA_hwloc_default_binding_policy PRTE_MCA_bindto ;;
        tmpdir) unset OMPI_MCA_btl_vader_backing_directory OMPI_MCA_btl_sm_backing_directory ;;
        *) echo "mpi.sh: unknown setting '$mpi_word'" >&2; return 2 ;;
        esac
    done
}
