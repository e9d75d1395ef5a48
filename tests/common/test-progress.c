/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that is left, in words, and the progress line as it is drawn on a terminal (TAP). */
#define _GNU_SOURCE
#include "common/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

static const struct {
    double left_s;
    const char *text;
} cases[] = {
    {0, "0 s"},          {0.2, "1 s"},          {59, "59 s"},         {59.5, "1 min 0 s"},     {60, "1 min 0 s"},
    {199.9, "3 min 20 s"}, {3599, "59 min 59 s"}, {3599.5, "1 h 0 min"}, {3600, "1 h 0 min"},   {7499, "2 h 5 min"},
    {7501, "2 h 6 min"}, {360000, "100 h 0 min"},
};

static void draw_replicas(void)
{
    struct mpg_progress p;
    mpg_progress_start_counting(&p, "simulating", "replicas", 1000);
    mpg_progress_update(&p, 100); /* within the first second nothing is drawn */
    p.start_s -= 1000;
    p.last_s -= 1000;
    mpg_progress_update(&p, 999); /* 999 of 1000 took 1000 s */
    mpg_progress_update(&p, 1000); /* too soon after the last line: nothing is drawn */
    mpg_progress_end(&p);
    mpg_progress_update(&p, 1000); /* after the end nothing is drawn */
}

static void draw_percent(void)
{
    struct mpg_progress p;
    mpg_progress_start(&p, "reading", 0.5);
    p.start_s -= 90;
    p.last_s -= 90;
    mpg_progress_update(&p, 0.45);
    mpg_progress_end(&p);
}

static void draw_unknown(void)
{
    struct mpg_progress p;
    mpg_progress_start(&p, "finding wait states", 0);
    p.last_s -= 90;
    mpg_progress_update(&p, 7);
    mpg_progress_end(&p);
}

static void draw_forbidden(void)
{
    mpg_progress_forbid();
    draw_percent();
}

/* Runs DRAW in a process whose standard error is a new terminal. Returns what the terminal got in TEXT of SIZE bytes. */
static const char *drawn(void (*draw)(void), char *text, size_t size)
{
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    size_t n = 0;
    ssize_t got;
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return NULL;
    const char *name = ptsname(master);
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        const int slave = open(name, O_RDWR); /* becomes the terminal of the new session */
        if (slave < 0 || dup2(slave, STDERR_FILENO) < 0)
            _exit(1);
        close(slave);
        draw();
        fflush(stderr);
        _exit(0);
    }
    while (n + 1 < size && ((got = read(master, text + n, size - 1 - n)) > 0 || (got < 0 && errno == EINTR)))
        n += got > 0 ? (size_t)got : 0;
    text[n] = '\0';
    waitpid(child, NULL, 0);
    close(master);
    return text;
}

static void check_drawn(void (*draw)(void), const char *expected, const char *what)
{
    char text[512];
    const char *got = drawn(draw, text, sizeof text);
    if (!got) {
        ok(1, "%s # SKIP no terminals", what);
        return;
    }
    ok(strcmp(got, expected) == 0, "%s", what);
    for (char *c = text; *c; c++)
        *c = *c == '\r' ? '<' : *c == '\033' ? '^' : *c;
    printf("# %s\n", text);
}

int main(void)
{
    char text[48];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mpg_progress_duration(cases[i].left_s, text, sizeof text);
        ok(strcmp(text, cases[i].text) == 0, "%g s: %s, got %s", cases[i].left_s, cases[i].text, text);
    }
    fflush(stdout);
    check_drawn(draw_replicas, "\r\033[Ksimulating 999 of 1000 replicas, 2 s left\r\033[K", "replicas, with the time left, once");
    check_drawn(draw_percent, "\r\033[Kreading  90 %, 11 s left\r\033[K", "percent");
    check_drawn(draw_unknown, "\r\033[Kfinding wait states 7\r\033[K", "of an unknown total");
    check_drawn(draw_forbidden, "", "forbidden");
    return done();
}
