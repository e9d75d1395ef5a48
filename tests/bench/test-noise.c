/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the benchmark ftq that need no measurement (TAP): frequency tracking, launcher variables, differences of
 * interrupt counters. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/ftq/speed.h"
#include "bench/harness/interrupts.h"
#include "bench/harness/launch.h"
#include "common/launcher.h"
#include "tests/tap.h"

enum { N = 1000 };

/* ---- speed ---- */

static void test_pace(void)
{
    struct mpg_pace pace;
    struct mpg_quantum q = {.units = 1000, .interrupted = 0, .gone = 0};
    mpg_pace_begin(&pace, 2);
    ok(pace.limit == UINT64_MAX, "nothing counts as interrupted before a quantum is over");
    mpg_pace_follow(&pace, 238500, &q);
    ok(pace.unit == 238.5 && pace.limit == 477, "a unit takes what the quantum gave it");
    q = (struct mpg_quantum){.units = 800, .interrupted = 20, .gone = 238500 - 800 * 238.5};
    mpg_pace_follow(&pace, 238500, &q);
    ok(fabs(pace.unit - 238.5) < 1e-9 && q.interrupted == 20,
       "what interruptions took is not the core's speed");
    ok(fabs(mpg_quantum_rate(&q, 238500) - 1 / 238.5) < 1e-12, "nor is it in the rate");
    q = (struct mpg_quantum){.units = 600, .interrupted = 3, .gone = 2385};
    mpg_pace_follow(&pace, 238500, &q);
    ok(fabs(pace.unit - (238500 - 2385) / 600.0) < 1e-9, "a slower core is followed");
    double before = pace.unit;
    q = (struct mpg_quantum){.units = 100, .interrupted = 2, .gone = 0.8 * 238500};
    mpg_pace_follow(&pace, 238500, &q);
    ok(pace.unit == before && mpg_quantum_rate(&q, 238500) == 0 && q.gone == 0.8 * 238500,
       "of a quantum that is mostly gone the pace cannot be told");
    q = (struct mpg_quantum){.units = 7, .interrupted = 0, .gone = 0};
    mpg_pace_follow(&pace, 238500, &q);
    ok(pace.unit == before, "nor of one with few units");
    q = (struct mpg_quantum){.units = 200, .interrupted = 199, .gone = 0.6 * 238500};
    mpg_pace_follow(&pace, 238500, &q);
    ok(fabs(pace.unit - 238500 / 200.0) < 1e-9 && q.gone == 0 && q.interrupted == 0,
       "where most units are slow, the core is");
    mpg_pace_begin(&pace, 500);
    q = (struct mpg_quantum){.units = 1000, .interrupted = 0, .gone = 0};
    mpg_pace_follow(&pace, 238500, &q);
    ok(pace.limit == 1238, "a coarse clock's steps are no interruptions");
}

static void test_speed(void)
{
    static double rate[N];
    for (size_t k = 0; k < N; k++)
        rate[k] = k % 4 == 1 ? 0 : 2385; /* a rate of 0 is unknown */
    struct mpg_speed speed = mpg_speed_summary(rate, N);
    ok(speed.range == 0 && speed.lost == 0, "the speed has not varied where it is known");
    for (size_t k = 0; k < N; k++)
        rate[k] = k < 500 ? 2385 : 2147;
    speed = mpg_speed_summary(rate, N);
    ok(fabs(speed.range - (1 - 2147.0 / 2385)) < 1e-12, "two speeds are the range");
    ok(fabs(speed.lost - (1 - 2266.0 / 2385)) < 1e-12, "half of it was lost on the mean");
    rate[0] = 0;
    speed = mpg_speed_summary(rate, 1);
    ok(speed.range == 0 && speed.lost == 0, "no quantum tells a speed");
}

/* ---- launchers ---- */

static const char *const variables[] = {
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PMI_SIZE",
    "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
    "SLURM_LOCALID", "SLURM_NODEID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS"};

/* Checks rank and number of ranks, on all hosts and on this one, that are read from the environment WORDS, "NAME=VALUE
 * NAME=VALUE ...". */
static void test_launch(const char *words, int rank, int ranks, int local_rank, int local_ranks,
                        const char *name)
{
    char copy[512], *rest = NULL;
    struct mpg_launch launch;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        setenv(word, value, 1);
    }
    mpg_launch_find(&launch);
    ok(launch.rank == rank && launch.ranks == ranks && launch.local_rank == local_rank &&
       launch.local_ranks == local_ranks,
       "%s", name);
}

/* Starts a process with ARGUMENTS after its name, like Hydra's proxy. The name of its job must be EXPECTED (NULL: none
 * can be found). */
static void test_proxy(const char *const *arguments, const char *expected, const char *name)
{
    int ends[2], n = 0;
    char job[64] = "", *words[16] = {"proxy", "-c", "echo; read line", "proxy"};
    while (arguments[n] && n < 11)
        words[4 + n] = (char *)arguments[n], n++;
    char c;
    int out[2];
    if (pipe(ends) < 0 || pipe(out) < 0)
        exit(1);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[0], 0);
        dup2(out[1], 1);
        close(ends[1]);
        execv("/bin/sh", words);
        _exit(127);
    }
    const bool started = pid > 0 && read(out[0], &c, 1) == 1;
    const bool found = started && mpg_launcher_hydra_job(pid, job, sizeof job);
    ok(started && found == (expected != NULL) && (!expected || strcmp(job, expected) == 0), "%s: '%s'", name, job);
    for (int i = 0; i < 2; i++)
        close(ends[i]), close(out[i]);
    waitpid(pid, NULL, 0);
}

static void test_proxies(void)
{
    char job[16];
    test_proxy((const char *[]){"--control-port", "near:4711", "--rmk", "user", "--pgid", "2", "--proxy-id", "1", NULL},
               "hydra-near:4711-2", "Hydra's proxy");
    test_proxy((const char *[]){"--proxy-id", "0", "--control-port", "near:4711", NULL}, "hydra-near:4711-0",
               "a proxy without --pgid");
    test_proxy((const char *[]){"--usize", "-1", "--auto-cleanup", "1", NULL}, NULL, "a proxy of Intel MPI");
    test_proxy((const char *[]){"--pgid", "0", "--control-port", NULL}, NULL, "an argument without its value");
    test_proxy((const char *[]){"--control-port", "--pgid", "0", NULL}, NULL, "a value that is no address");
    test_proxy((const char *[]){"--control-port", "a-host-with-a-name-that-is-too-long-for-the-text.of.a.cluster.org:4711", NULL},
               NULL, "a longer name than there is room for");
    ok(!mpg_launcher_hydra_job(1 << 30, job, sizeof job), "no process");
}

static void test_launches(void)
{
    test_launch("", 0, 1, 0, 1, "no launcher");
    test_launch("OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=1"
                " OMPI_COMM_WORLD_LOCAL_SIZE=4 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2",
                5, 8, 1, 4, "Open MPI inside a Slurm step");
    test_launch("PMI_RANK=3 PMI_SIZE=4 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2", 3, 4, 1, 2, "Hydra");
    test_launch("PMI_RANK=8 PMI_SIZE=11 SLURM_PROCID=8 SLURM_STEP_NUM_TASKS=11 SLURM_LOCALID=0"
                " SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=4(x2),3",
                8, 11, 0, 3, "srun with PMI, the third node of three");
    test_launch("SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=11 SLURM_LOCALID=1 SLURM_NODEID=1"
                " SLURM_STEP_TASKS_PER_NODE=4(x2),3",
                5, 11, 1, 4, "srun, the second node");
    test_launch("SLURM_PROCID=0 SLURM_NTASKS=64 SLURM_LOCALID=0", 0, 1, 0, 1,
                "a Slurm batch script");
    test_launch("PMIX_RANK=2", 2, 0, -1, 0, "PMIx alone: who is here is unknown");
    test_launch("PMIX_RANK=0 SLURM_STEP_NUM_TASKS=1", 0, 1, 0, 1, "PMIx, one rank in all");
    test_launch("OMPI_COMM_WORLD_RANK=x PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1"
                " MPI_LOCALNRANKS=2",
                1, 2, 1, 2, "a variable that is no number is none");
    test_launch("PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=2 MPI_LOCALNRANKS=2", 1, 2, -1, 0,
                "a local rank beyond the last");
    test_launch("SLURM_PROCID=9 SLURM_STEP_NUM_TASKS=11 SLURM_LOCALID=0 SLURM_NODEID=7"
                " SLURM_STEP_TASKS_PER_NODE=4(x2),3",
                9, 11, -1, 0, "a node beyond the list");
}

/* ---- interrupts ---- */

static void test_interrupts(void)
{
    struct mpg_interrupts now, none = {0, NULL};
    char text[256];
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, 65535, &now);
    ok(now.n == 0, "a core that is not there has no counts");
    ok(strcmp(mpg_interrupts_text(&none, &none, text, sizeof text), "unknown") == 0,
           "no counts are unknown");
    mpg_interrupts_read(MPG_INTERRUPTS_SOFT, 0, &now);
    ok(strcmp(mpg_interrupts_text(&now, &now, text, sizeof text), now.n ? "none" : "unknown") == 0,
       "no difference is none, where the system counts");
    mpg_interrupts_clear(&now);
}

int main(void)
{
    test_pace();
    test_speed();
    test_launches();
    test_proxies();
    test_interrupts();
    return done();
}
