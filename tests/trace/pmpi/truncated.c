/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that truncates its own trace while running: truncated HOW. At the end it reports the SIGBUS signals
 * that its own handler, if any, received (test-truncated.sh).
 *
 * HOW is a list of words.
 *   "window" truncates the tracer's mapped segment (*.window.mpgt), "short" only by the last byte, so that all
 *     pages stay mapped
 *   "profile" truncates the profile
 *   "overwrite" fills the segment with zeros, "another" replaces it by another file
 *   "descriptors" truncates the trace's file through the tracer's descriptor, "ends" moves the descriptor's
 *     offset to the begin of the file, "adds" writes to it
 *   "none" does nothing
 *   "before" and "after" install a handler before and after MPI_Init, "chain" one that correctly passes on
 *     unknown signals
 *   "own" touches a missing page of the program's own file
 *   "threads" uses MPI_THREAD_MULTIPLE */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile char *own;
static sigjmp_buf back;
static volatile int mine, others;
static struct sigaction before_mine;

static void on_bus(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    if ((volatile char *)info->si_addr == own) {
        mine++;
        siglongjmp(back, 1);
    }
    others++;
    if (before_mine.sa_flags & SA_SIGINFO)
        before_mine.sa_sigaction(signal, info, context);
    else
        _exit(77); /* like most handlers for an unknown fault */
}

static void handle_bus(bool chain)
{
    struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, chain ? &before_mine : NULL);
}

static void pass(int times)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < times; i++) {
        int out = i, in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        if (in != i)
            exit(8);
    }
}

/* Applies HOW to all open descriptors of this rank's trace. */
static void spoil_descriptors(const char *how)
{
    char name[64], path[4096];
    for (int fd = 3; fd < 1024; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        const ssize_t n = readlink(name, path, sizeof path - 1);
        if (n < 5 || memcmp(path + n - 5, ".mpgt", 5) != 0)
            continue;
        if (strstr(how, "descriptors") ? ftruncate(fd, 0) < 0
            : strstr(how, "ends")      ? lseek(fd, 0, SEEK_SET) < 0
                                       : write(fd, "noise", 5) != 5)
            exit(7);
    }
}

/* Truncates this rank's file with this ENDING, as another process would: to length zero (WHOLE) or by the last byte;
 * with ZEROS extends it again. */
static void spoil(const char *ending, bool whole, bool zeros)
{
    char pattern[4096];
    int rank;
    struct stat st;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(pattern, sizeof pattern, "%s/rank-%d%s", getenv("MPGTRACE_OUTPUT"), rank, ending);
    const int fd = open(pattern, O_WRONLY);
    if (fd < 0 || fstat(fd, &st) < 0 || ftruncate(fd, whole ? 0 : st.st_size - 1) < 0 ||
        (zeros && ftruncate(fd, st.st_size) < 0))
        exit(6);
    close(fd);
}

/* Replaces this rank's segment by a file that is no segment. */
static void replace_window(void)
{
    char name[4096], other[] = "other.XXXXXX";
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s/rank-%d.window.mpgt", getenv("MPGTRACE_OUTPUT"), rank);
    const int fd = mkstemp(other);
    if (fd < 0 || write(fd, "none", 4) != 4 || close(fd) < 0 || rename(other, name) < 0)
        exit(6);
}

static void touch_own(void)
{
    char name[] = "own.XXXXXX";
    const int fd = mkstemp(name);
    own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unlink(name);
    if (sigsetjmp(back, 1) == 0)
        *own = 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "none";
    const bool chain = strstr(how, "chain");
    if (strstr(how, "before"))
        handle_bus(chain);
    int provided;
    MPI_Init_thread(&argc, &argv, strstr(how, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    if (strstr(how, "after"))
        handle_bus(chain);
    if (strstr(how, "short"))
        spoil(".window.mpgt", false, false);
    pass(1000); /* enough for at least one flush */
    if (strstr(how, "window"))
        spoil(".window.mpgt", true, false);
    if (strstr(how, "overwrite"))
        spoil(".window.mpgt", true, true);
    if (strstr(how, "profile"))
        spoil(".profile.mpgt", true, false);
    if (strstr(how, "another"))
        replace_window();
    if (strstr(how, "descriptors") || strstr(how, "ends") || strstr(how, "adds"))
        spoil_descriptors(how);
    pass(1000);
    if (strstr(how, "own"))
        touch_own();
    pass(1000);
    printf("to the end, %d of mine, %d of others\n", mine, others);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
