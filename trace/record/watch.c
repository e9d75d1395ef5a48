/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "trace/record/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/printable.h"
#include "trace/pmpi/family.h"
#include "trace/record/folder.h"

/* Closes all descriptors but ENDED and standard error: launchers wait until all copies of the launcher's pipes are closed. */
static void close_all_but(int ended)
{
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(ended, STDERR_FILENO + 1);
    const long max = sysconf(_SC_OPEN_MAX);
    if (syscall(SYS_close_range, STDERR_FILENO + 2, ~0U, 0) < 0)
        for (int fd = STDERR_FILENO + 2; fd < max; fd++)
            close(fd);
}

static volatile sig_atomic_t in_init;

static void note_init(int unused)
{
    (void)unused;
    in_init = 1;
}

/* Runs in the watch process: waits until PROGRAM ends and warns if FOLDER then holds no trace. ENDED: pidfd of the program.
 * Writes the id of the watch process to READY once the tracer may end the process. */
static void watch(int ended, int ready, const char *folder, const char *program)
{
    char text[512];
    struct pollfd end = {.fd = STDERR_FILENO + 1, .events = POLLIN};
    const pid_t number = getpid();
    prctl(PR_SET_NAME, MPG_WATCH_NAME);
    signal(SIGINT, SIG_IGN);
    signal(MPG_WATCH_IN_INIT, note_init);
    (void)!write(ready, &number, sizeof number);
    close_all_but(ended);
    while (poll(&end, 1, -1) < 0)
        ;
    mpg_printable(text, sizeof text, program);
    if (in_init)
        fprintf(stderr,
                "mpgtrace: nothing was traced: MPI_Init did not succeed in %s: srun gave its tasks no PMIx, which Open MPI "
                "usually needs: 'srun --mpi=pmix' ('srun --mpi=list' says whether there is one)\n", text);
    else if (!mpg_folder_has_trace(folder))
        fprintf(
            stderr,
            "mpgtrace: nothing was traced: no MPI_Init was seen in %s; if it calls MPI, a script, or itself, sets LD_PRELOAD or "
            "empties the environment\n",
            text);
}

void mpg_watch(const char *folder, const char *program)
{
    int number[2];
    const int ended = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (ended < 0 || pipe2(number, O_CLOEXEC) < 0)
        return;
    /* Forks twice, so that the watch process is no child of the program, which would not expect a child. */
    const pid_t between = fork();
    if (between == 0) {
        if (fork() == 0)
            watch(ended, number[1], folder, program);
        _exit(0);
    }
    close(number[1]);
    pid_t watcher = -1;
    char text[32];
    if (read(number[0], &watcher, sizeof watcher) == sizeof watcher && watcher > 0) {
        snprintf(text, sizeof text, "%ld", (long)watcher);
        setenv("MPGTRACE_WATCH", text, 1);
    }
    close(number[0]);
    close(ended);
    if (between > 0)
        waitpid(between, NULL, 0);
}
