/* SPDX-License-Identifier: GPL-3.0-or-later */
/* afresh COMMAND [ARGUMENT]...: becomes COMMAND in the state of a fresh shell, independent of this process's start.
 * All signals have default actions and are unblocked (a script's background jobs ignore SIGINT and SIGQUIT, nohup
 * ignores SIGHUP, and a shell cannot undo this). Standard input is empty, the other standard streams are open, and
 * created files are readable by others. Runs every test. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: afresh COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number <= SIGRTMAX; number++)
        (void)signal(number, SIG_DFL); /* sigaction() refuses SIGKILL, SIGSTOP and the C library's own signals */
    umask(022);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fd != STDIN_FILENO && fcntl(fd, F_GETFD) >= 0)
            continue;
        int nowhere = open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
        if (nowhere >= 0 && nowhere != fd) {
            dup2(nowhere, fd);
            close(nowhere);
        }
    }
    execvp(argv[1], argv + 1);
    fprintf(stderr, "afresh: %s: %s\n", argv[1], strerror(errno));
    return 127;
}
