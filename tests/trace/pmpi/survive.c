/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that ends or behaves in ways that have cost other tracers their traces: survive HOW [FILE]. Sends
 * tokens to itself and around all ranks (Sendrecv) and counts the completed calls, for all ranks in FILE if given,
 * as 64-bit numbers: the minimum number of events that a trace must hold (tests/trace/pmpi/test-survive.sh). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int rank, ranks;
static volatile uint64_t *counts; /* one count for each rank, shared with the test */
static uint64_t own[1024];

static void open_counts(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0666);
    if (fd < 0 || ftruncate(fd, sizeof own) < 0)
        exit(9);
    void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        exit(9);
    counts = shared;
    close(fd);
}

/* Passes most tokens to itself, because each round over all ranks takes as many time slices as there are ranks if
 * spinning ranks share a core. */
static void pass(long times)
{
    for (long i = 0; i < times; i++) {
        bool round = i % 16 == 0;
        int out = rank, in = -1;
        int next = round ? (rank + 1) % ranks : 0;
        int previous = round ? (rank + ranks - 1) % ranks : 0;
        MPI_Sendrecv(&out, 1, MPI_INT, next, 3, &in, 1, MPI_INT, previous, 3,
                     round ? MPI_COMM_WORLD : MPI_COMM_SELF, MPI_STATUS_IGNORE);
        counts[rank]++;
        if (in != (round ? previous : rank)) {
            fprintf(stderr, "survive: %d came in\n", in);
            exit(8);
        }
    }
}

static void end(void)
{
    MPI_Finalize();
    counts[rank]++;
    /* A write to the launcher's terminal that an alarm interrupts is lost, traced or not. */
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    if (rank == 0)
        printf("survive: %d ranks, to the end\n", ranks);
}

/* Starts child processes in all ways: none may write to the trace or fail. */
static void have_children(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        exit(3);
    if (child < 0 || waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
        exit(7);
    child = fork();
    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(6);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(7);
    char *const arguments[] = {(char *)"true", NULL};
    if (posix_spawnp(&child, "true", NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0 || system("exit 0") != 0)
        exit(7);
}

static void on_alarm(int signal)
{
    (void)signal;
}

static void interrupt_often(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval often = {{0, 300}, {0, 300}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}

/* Removes the trace, like a clean-up job, or a user who believes that the run has ended. */
static void remove_trace(void)
{
    char command[4200];
    const char *trace = getenv("MPGTRACE_OUTPUT");
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(command, sizeof command, "rm -rf '%s'", trace ? trace : "none.trace");
    if (rank == 0 && system(command) != 0)
        exit(7);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Makes standard error a pipe without a reader, or a file. */
static void replace_error(bool by_file)
{
    int ends[2];
    if (by_file)
        ends[1] = open("precious", O_RDWR | O_CREAT | O_TRUNC, 0666);
    else if (pipe(ends) == 0)
        close(ends[0]);
    if (ends[1] < 0 || dup2(ends[1], STDERR_FILENO) < 0)
        exit(7);
}

static void *initialise(void *argument)
{
    int provided;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    return argument;
}

static void start(const char *how)
{
    int flag;
    MPI_Initialized(&flag);
    if (strcmp(how, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, initialise, NULL);
        pthread_join(thread, NULL);
    } else {
        MPI_Init(NULL, NULL);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    counts[rank]++;
}

/* Does what HOW says. Returns if the program is to continue to its normal end. */
static void behave(const char *how)
{
    if (strcmp(how, "run") == 0)
        pass(1L << 40);
    else if (strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        for (MPI_Abort(MPI_COMM_WORLD, 5);;) /* MPICH 4.2 and later sometimes returns before its launcher kills the process */
            pause();
    else if (strcmp(how, "exit") == 0)
        exit(4);
    else if (strcmp(how, "_exit") == 0)
        _exit(4);
    else if (strcmp(how, "children") == 0)
        have_children();
    else if (strcmp(how, "folder") == 0 && chdir("/") < 0)
        exit(7);
    else if (strcmp(how, "close") == 0)
        for (int fd = 3; fd < (int)sysconf(_SC_OPEN_MAX) && fd < 4096; fd++) {
            char path[64], target[4096];
            snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
            ssize_t n = readlink(path, target, sizeof target - 1);
            target[n > 0 ? n : 0] = '\0';
            if (strstr(target, ".mpgt")) /* only the trace's descriptors, because MPI needs the others */
                dup2(STDERR_FILENO, fd);
        }
    else if (strcmp(how, "signals") == 0)
        interrupt_often();
    else if (strcmp(how, "removed") == 0)
        remove_trace();
    else if (strncmp(how, "removed-", 8) == 0) {
        replace_error(strcmp(how, "removed-file") == 0);
        remove_trace();
    } else if (strcmp(how, "limit") == 0 || strcmp(how, "limit-all") == 0) {
        const rlim_t bytes = how[5] ? 512 : 8192;
        if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, bytes}) < 0)
            exit(7);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "end";
    counts = own;
    if (argc > 2)
        open_counts(argv[2]);
    start(how);
    pass(1000);
    behave(how);
    if (strcmp(how, "brief") != 0)
        pass(20000);
    end();
    return 0;
}
