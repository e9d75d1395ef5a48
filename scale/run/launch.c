/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a command and waits for its end, for a signal, or for a time limit. */
#define _GNU_SOURCE
#include "scale/run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double TERMINATION_TIMEOUT_S = 10; /* time between the first signal to a command and SIGKILL */

static sigset_t before;
static struct sigaction at_limit; /* the action of SIGXFSZ before mpg_scale_run_keep_limits() */

static const int terminating[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { TERMINATING = sizeof terminating / sizeof *terminating };

/* Fills SET with the signals that end a process, except signals ignored by this process. */
static void make_termination_set(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < TERMINATING; i++) {
        struct sigaction was;
        if (sigaction(terminating[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaddset(set, terminating[i]);
    }
}

void mpg_scale_run_keep_limits(void)
{
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &at_limit);
}

void mpg_scale_run_hold_signals(void)
{
    sigset_t set;
    make_termination_set(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
}

void mpg_scale_run_release_signals(void)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int mpg_scale_run_signal_waits(void)
{
    sigset_t pending;
    sigpending(&pending);
    for (int i = 0; i < TERMINATING; i++)
        if (sigismember(&pending, terminating[i]) == 1)
            return terminating[i];
    return 0;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* In the child process: becomes the command ARGV. On failure, writes errno to the descriptor FAILED. */
static void become(char **argv, int input, int log, int failed)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGXFSZ, &at_limit, NULL);
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execvp(argv[0], argv);
    const int why = errno;
    if (write(failed, &why, sizeof why) != (ssize_t)sizeof why)
        _exit(126);
    _exit(127);
}

/* Starts the command ARGV. Returns the process id of the child, or -1 with ERR. */
static pid_t start(char **argv, const char *input_path, const char *log_path, struct mpg_error *err)
{
    int pipes[2], why = 0;
    const int input = open(input_path, O_RDONLY | O_CLOEXEC);
    if (input < 0)
        return mpg_error_errno(err, errno, "%s", input_path);
    const int log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (log < 0) {
        why = errno;
        close(input);
        return mpg_error_errno(err, why, "%s", log_path);
    }
    if (pipe2(pipes, O_CLOEXEC) < 0) {
        why = errno;
        close(input);
        close(log);
        return mpg_error_errno(err, why, "cannot start %s", argv[0]);
    }
    const pid_t child = fork();
    if (child == 0)
        become(argv, input, log, pipes[1]);
    why = child < 0 ? errno : 0;
    close(input);
    close(log);
    close(pipes[1]);
    if (child > 0)
        setpgid(child, child);
    if (child > 0 && read(pipes[0], &why, sizeof why) == (ssize_t)sizeof why)
        (void)waitpid(child, NULL, 0);
    close(pipes[0]);
    return why ? mpg_error_errno(err, why, "cannot start %s", argv[0]) : child;
}


static void describe(int status, const char *log, double limit_s, struct scale_ending *e)
{
    char words[220];
    mpg_scale_run_failure(log, words, sizeof words);
    e->good = !e->out_of_time && e->signal == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (e->out_of_time)
        snprintf(e->how, sizeof e->how, "not done within %g s", limit_s);
    else if (WIFSIGNALED(status))
        snprintf(e->how, sizeof e->how, "ended by signal %d (%s)%s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), words);
    else
        snprintf(e->how, sizeof e->how, "exit status %d%s", WEXITSTATUS(status), words);
}

/* Waits for a signal that ends processes, up to 0.25 s. Returns the signal, or 0. */
static int wait_some(void)
{
    const struct timespec some = {.tv_nsec = 250000000};
    sigset_t set;
    make_termination_set(&set);
    sigaddset(&set, SIGCHLD);
    const int got = sigtimedwait(&set, NULL, &some);
    return got > 0 && got != SIGCHLD ? got : 0;
}

int mpg_scale_run_launch(char **argv, const char *input, const char *log, double limit_s, struct mpg_progress *progress,
                         struct scale_ending *ending, struct mpg_error *err)
{
    const double begin_s = now_s();
    double terminated_s = 0;
    int status;
    *ending = (struct scale_ending){0};
    const pid_t child = start(argv, input, log, err);
    if (child < 0)
        return -1;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            break;
        if (ended < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "waiting for %s", argv[0]);
        const int got = wait_some();
        const double so_far_s = now_s() - begin_s;
        mpg_progress_update(progress, so_far_s);
        ending->signal = got ? got : ending->signal;
        ending->out_of_time |= limit_s > 0 && so_far_s > limit_s && !ending->signal;
        if (terminated_s > 0 && now_s() - terminated_s > TERMINATION_TIMEOUT_S)
            kill(-child, SIGKILL);
        else if (got || (ending->out_of_time && terminated_s == 0))
            kill(-child, got ? got : SIGTERM);
        if (terminated_s == 0 && (ending->signal || ending->out_of_time))
            terminated_s = now_s();
    }
    ending->seconds = now_s() - begin_s;
    describe(status, log, limit_s, ending);
    return 0;
}
