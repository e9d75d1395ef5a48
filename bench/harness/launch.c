/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Environments of MPI launchers. */
#include "config.h"

#include "bench/harness/launch.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/launcher.h"

enum { LAUNCHERS = 5, MAX_RANKS = 100000000, SPEAKING_US = 3000000 };

/* The variables of each launcher; the first row whose rank is set counts. the order matters, since mpirun inside a Slurm job
 * inherits Slurm's variables. */
static const struct {
    const char *rank, *ranks, *local_rank, *local_ranks;
} names[LAUNCHERS] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
     "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PMIX_RANK", NULL, NULL, NULL},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", NULL},
};

static bool read_count(const char *name, int *count)
{
    const char *text = name ? getenv(name) : NULL;
    char *end;
    long value = text ? strtol(text, &end, 10) : -1;
    if (value < 0 || value > MAX_RANKS || *end)
        return false;
    *count = (int)value;
    return true;
}

void mpg_launch_find(struct mpg_launch *launch)
{
    struct mpg_launch l = {0, 1, -1, 0};
    int row = 0;
    while (row < LAUNCHERS && !read_count(names[row].rank, &l.rank))
        row++;
    bool slurm_step = getenv("SLURM_STEP_NUM_TASKS");
    if (row == LAUNCHERS || (row == LAUNCHERS - 1 && !slurm_step)) {
        *launch = (struct mpg_launch){0, 1, 0, 1};
        return;
    }
    bool counted = read_count(names[row].ranks, &l.ranks);
    bool placed = read_count(names[row].local_rank, &l.local_rank) &&
                  read_count(names[row].local_ranks, &l.local_ranks);
    /* srun gives its tasks PMI or PMIx ranks; the other numbers are in Slurm's variables. */
    if (!counted)
        counted = read_count("SLURM_STEP_NUM_TASKS", &l.ranks);
    if (!placed)
        placed = read_count("SLURM_LOCALID", &l.local_rank) &&
                 (l.local_ranks = mpg_launcher_srun_tasks_here()) > 0;
    if (!counted)
        l.ranks = 0;
    if (!placed || l.local_rank >= l.local_ranks) {
        l.local_rank = l.ranks == 1 ? 0 : -1;
        l.local_ranks = l.ranks == 1 ? 1 : 0;
    }
    *launch = l;
}

/* ---- command line ---- */

static bool parsing; /* this rank is not rank 0 and parses the command line with its output switched off */

/* Called at exit. A launcher ends all ranks when a rank fails: delays a failed rank's exit until rank 0 has printed the
 * error. */
static void wait_for_rank_0(int status, void *unused)
{
    (void)unused;
    if (parsing && status != 0)
        usleep(SPEAKING_US);
}

static void redirect(int fd, int to)
{
    if (to >= 0 && dup2(to, fd) < 0)
        return; /* the output stays: this rank prints messages as well */
}

int mpg_launch_parse(const struct mpg_program *program, int argc, char **argv)
{
    struct mpg_launch launch;
    mpg_launch_find(&launch);
    if (launch.rank == 0)
        return mpg_option_parse(program, argc, argv);
    int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    redirect(STDOUT_FILENO, nowhere);
    redirect(STDERR_FILENO, nowhere);
    parsing = true;
    on_exit(wait_for_rank_0, NULL);
    int first = mpg_option_parse(program, argc, argv);
    parsing = false;
    redirect(STDOUT_FILENO, out);
    redirect(STDERR_FILENO, errors);
    close(nowhere);
    close(out);
    close(errors);
    return first;
}

void mpg_launch_usage_error(const struct mpg_program *program, const char *format, ...)
{
    struct mpg_launch launch;
    struct mpg_error err;
    mpg_launch_find(&launch);
    if (launch.rank != 0) {
        usleep(SPEAKING_US);
        exit(MPG_EXIT_USAGE);
    }
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    mpg_option_usage_error(program, "%s", err.text);
}
