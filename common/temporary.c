/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes temporary files when a signal ends the program. The signal handler may neither allocate memory nor use
 * directory streams. */
#define _GNU_SOURCE
#include "common/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_TEMPORARY = 4 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

enum what { NOTHING, A_FILE, A_FOLDER };

static struct temporary {
    volatile sig_atomic_t what;
    char path[PATH_MAX];
} all[MAX_TEMPORARY];

/* Removes the folder NAME in the folder with descriptor AT, and the files in NAME. DEPTH 1: also subfolders of NAME, which
 * contain only files. */
static void remove_at(int at, const char *name, int depth)
{
    char buffer[4096] __attribute__((aligned(8)));
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    for (long n; fd >= 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
        for (long i = 0; i < n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(buffer + i);
            i += entry->d_reclen;
            if (entry->d_type == DT_DIR && depth > 0 && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                remove_at(fd, entry->d_name, depth - 1);
            else
                (void)unlinkat(fd, entry->d_name, 0); /* fails for folders */
        }
    if (fd >= 0)
        close(fd);
    (void)unlinkat(at, name, AT_REMOVEDIR);
}

void mpg_temporary_remove_folder(const char *path)
{
    remove_at(AT_FDCWD, path, 1);
}

static void clean_up(int number)
{
    for (int i = 0; i < MAX_TEMPORARY; i++)
        if (all[i].what == A_FILE)
            (void)unlink(all[i].path);
        else if (all[i].what == A_FOLDER)
            mpg_temporary_remove_folder(all[i].path);
    (void)raise(number); /* the default action ends the program; restored by SA_RESETHAND */
}

static void catch_signals(void)
{
    static bool caught;
    struct sigaction now, ours = {.sa_handler = clean_up, .sa_flags = (int)SA_RESETHAND};
    for (size_t i = 0; !caught && i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            (void)sigaction(signals[i], &ours, NULL);
    caught = true;
}

/* Blocks the signals until a new file is in the table of temporary files, so no handler runs between. *BEFORE: previous mask. */
static void hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&held, signals[i]);
    (void)sigprocmask(SIG_BLOCK, &held, before);
}

static void note(const char *path, enum what what)
{
    int i = 0;
    catch_signals();
    while (i < MAX_TEMPORARY && all[i].what != NOTHING)
        i++;
    if (i == MAX_TEMPORARY || strlen(path) >= sizeof all[i].path)
        return;
    strcpy(all[i].path, path);
    all[i].what = what;
}

static int make(const char *path, char *temporary, unsigned long size, enum what what)
{
    sigset_t before;
    const int n = snprintf(temporary, size, "%s.part.XXXXXX", path);
    if (n < 0 || (unsigned long)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    hold_signals(&before);
    int fd = what == A_FILE ? mkstemp(temporary) : mkdtemp(temporary) ? 0 : -1;
    const int failed = errno;
    if (fd >= 0)
        note(temporary, what);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    return fd;
}

int mpg_temporary_file(const char *path, char *temporary, unsigned long size)
{
    return make(path, temporary, size, A_FILE);
}

int mpg_temporary_folder(const char *path, char *temporary, unsigned long size)
{
    return make(path, temporary, size, A_FOLDER);
}

void mpg_temporary_forget(const char *temporary)
{
    for (int i = 0; i < MAX_TEMPORARY; i++)
        if (all[i].what != NOTHING && strcmp(all[i].path, temporary) == 0)
            all[i].what = NOTHING;
}

int mpg_temporary_rename_in_error(struct mpg_error *err, const char *temporary, const char *path)
{
    const char *found = err ? strstr(err->text, temporary) : NULL;
    if (!found)
        return -1;
    char old[sizeof err->text];
    const size_t before = (size_t)(found - err->text);
    memcpy(old, err->text, sizeof old);
    snprintf(err->text + before, sizeof err->text - before, "%s%s", path, old + before + strlen(temporary));
    return -1;
}
