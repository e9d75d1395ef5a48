/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Environment variables of Open MPI's mpirun, Hydra (MPICH, Intel MPI, MVAPICH), PMIx and Slurm. */
#include "common/launcher.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/peek.h"

/* Returns true if the variable NAME holds an open socket of Hydra. In a job inside another job the inner launcher closes the
 * outer job's sockets but keeps the variables, and a file may have the socket's number since. */
static bool has_socket(const char *name)
{
    const char *text = getenv(name);
    struct stat st;
    return text && *text >= '0' && *text <= '9' && fstat(atoi(text), &st) == 0 && S_ISSOCK(st.st_mode);
}

enum mpg_mpi mpg_launcher_mpi(void)
{
    if (has_socket("PMI_FD"))
        return MPG_MPI_MPICH;
    if (getenv("OMPI_COMM_WORLD_RANK"))
        return MPG_MPI_OPENMPI;
    if (getenv("PMI_RANK") || getenv("PMI_PORT") || getenv("MV2_COMM_WORLD_RANK") ||
        getenv("PALS_RANKID"))
        return MPG_MPI_MPICH;
    return getenv("PMIX_RANK") ? MPG_MPI_OPENMPI : MPG_MPI_NONE;
}

int mpg_launcher_processes(void)
{
    const enum mpg_mpi mpi = mpg_launcher_mpi();
    if (mpi == MPG_MPI_NONE)
        return 1;
    const char *text = getenv(mpi == MPG_MPI_MPICH ? "PMI_SIZE" : "OMPI_COMM_WORLD_SIZE");
    if (!text && mpi == MPG_MPI_MPICH)
        text = getenv("MV2_COMM_WORLD_SIZE");
    return text && atoi(text) > 0 ? atoi(text) : 0;
}

int mpg_launcher_started(const char **launcher)
{
    static const char *const by[][2] = {{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
                                        {"PMI_SIZE", "a launcher of MPICH's kind"},
                                        {"MV2_COMM_WORLD_SIZE", "MVAPICH's launcher"},
                                        {"SLURM_STEP_NUM_TASKS", "srun"}};
    int max = 0;
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        const char *text = getenv(by[i][0]);
        if (text && atoi(text) > max) {
            max = atoi(text);
            *launcher = by[i][1];
        }
    }
    return max;
}

/* --- Hydra --- */

/* Returns the argument after NAME among the arguments of TEXT, SIZE bytes, each ended by a zero byte; NULL: no such argument. */
static const char *find_argument(const char *text, size_t size, const char *name)
{
    const char *end = text + size;
    for (const char *p = text; p < end; p += strlen(p) + 1)
        if (strcmp(p, name) == 0)
            return p + strlen(p) + 1 < end ? p + strlen(p) + 1 : NULL;
    return NULL;
}

/* mpiexec starts a proxy on each host with `--control-port HOST:PORT`, the address of mpiexec, and `--pgid NUMBER`, which counts
 * the groups of processes added by MPI_Comm_spawn. */
bool mpg_launcher_hydra_job(long proxy, char *job, size_t bytes)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", proxy);
    const size_t size = mpg_peek(path, text, sizeof text);
    const char *address = find_argument(text, size, "--control-port"), *group = find_argument(text, size, "--pgid");
    return address && strchr(address, ':') &&
           snprintf(job, bytes, "hydra-%s-%s", address, group ? group : "0") < (int)bytes;
}

/* --- Slurm --- */

/* A step started inside an outer step inherits the outer step's variables, even with a different protocol. PMI_FD is therefore
 * taken only if naming an open socket, and PMIX_NAMESPACE only if naming this step. */
bool mpg_launcher_srun(enum mpg_srun_protocol *protocol)
{
    char here[128];
    const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID"), *space = getenv("PMIX_NAMESPACE");
    const bool started = job && step && getenv("SLURM_STEP_NUM_TASKS");
    if (protocol)
        *protocol = MPG_SRUN_NONE;
    if (!started || !protocol)
        return started;
    snprintf(here, sizeof here, "slurm.pmix.%s.%s", job, step);
    if (has_socket("PMI_FD"))
        *protocol = MPG_SRUN_PMI2;
    else if (space && strcmp(space, here) == 0)
        *protocol = MPG_SRUN_PMIX;
    return true;
}

/* SLURM_STEP_TASKS_PER_NODE is for example "4(x2),3": four tasks on each of the first two nodes, three on the third
 * (srun(1)). */
int mpg_launcher_srun_tasks_here(void)
{
    const char *p = getenv("SLURM_STEP_TASKS_PER_NODE"), *text = getenv("SLURM_NODEID");
    char *end;
    long node = text ? strtol(text, &end, 10) : -1;
    if (!p || node < 0 || end == text || *end)
        return 0;
    while (*p) {
        int tasks, times = 1, used = 0;
        if (sscanf(p, "%d%n", &tasks, &used) != 1)
            return 0;
        p += used;
        if (sscanf(p, "(x%d)%n", &times, &used) == 1)
            p += used;
        if (node < times)
            return tasks > 0 ? tasks : 0;
        node -= times;
        p += *p == ',';
    }
    return 0;
}

/* --- role of this process --- */

/* Returns the value of the first set variable of NAMES; NULL: none is set. */
static const char *first_set(const char *const *names)
{
    const char *text = NULL;
    for (; *names && !text; names++)
        text = getenv(*names);
    return text;
}

/* Returns true if the first set variable of NAMES is "0", or if none is set. */
static bool is_zero(const char *const *names)
{
    const char *text = first_set(names);
    return !text || strcmp(text, "0") == 0;
}

static const char *const *names_of_rank(void)
{
    static const char *const mpich[] = {"PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID",
                                        "SLURM_PROCID", NULL};
    static const char *const others[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID",
                                         NULL};
    return mpg_launcher_mpi() == MPG_MPI_MPICH ? mpich : others;
}

bool mpg_launcher_is_first(void)
{
    return is_zero(names_of_rank());
}

int mpg_launcher_rank(void)
{
    const char *text = first_set(names_of_rank());
    return text && *text >= '0' && *text <= '9' ? atoi(text) : -1;
}

bool mpg_launcher_is_first_here(void)
{
    static const char *const mpich[] = {"MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                                        "PALS_LOCAL_RANKID", "SLURM_LOCALID", NULL};
    static const char *const others[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", NULL};
    return is_zero(mpg_launcher_mpi() == MPG_MPI_MPICH ? mpich : others);
}

bool mpg_launcher_spawned(void)
{
    const char *hydra = getenv("PMI_SPAWNED");
    return getenv("OMPI_PARENT_PORT") || (hydra && strcmp(hydra, "1") == 0);
}
