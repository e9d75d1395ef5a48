/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder .mpgtrace-JOB beside the trace has an empty file HOST.PID-NUMBER for each host. The first link `answer` in this
 * folder is the answer for all hosts: symlink(2) is atomic, on network file systems, too, where locks are slow or missing. */
#define _GNU_SOURCE
#include "trace/pmpi/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/pmpi/paths.h"

enum { FIRST_SLEEP_MS = 1, LONGEST_SLEEP_MS = 250 };

static struct {
    char parent[PATH_MAX];
    char folder[PATH_MAX]; /* .mpgtrace-JOB; empty: not used */
    char own[PATH_MAX];    /* the file of this host in `folder`; empty: none */
} hosts;

/* Writes the absolute path of the trace's parent folder to hosts.parent. Returns false on failure. */
static bool find_parent(void)
{
    const char *output = getenv("MPGTRACE_OUTPUT"), *end = output ? strrchr(output, '/') : NULL;
    char name[PATH_MAX] = ".";
    while (end && end > output && end[1] == '\0') /* ignores slashes at the end */
        for (end--; end > output && *end != '/';)
            end--;
    if (end && *end == '/' && snprintf(name, sizeof name, "%.*s", end == output ? 1 : (int)(end - output), output) >= PATH_MAX)
        return false;
    return paths_real(name, hosts.parent, sizeof hosts.parent);
}

static bool make_folder(const char *job)
{
    if (!find_parent())
        return false;
    const int n = snprintf(hosts.folder, sizeof hosts.folder, "%s/.mpgtrace-", hosts.parent);
    if (n + (int)strlen(job) + 1 > (int)sizeof hosts.folder)
        return false;
    for (int i = 0;; i++)
        if (!(hosts.folder[n + i] = job[i] == '/' ? '-' : job[i]))
            break;
    return mkdir(hosts.folder, 0777) == 0 || errno == EEXIST;
}

static bool make_file(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool make_own(int traced)
{
    char host[HOST_NAME_MAX + 1] = "";
    (void)gethostname(host, sizeof host - 1);
    const int n = snprintf(hosts.own, sizeof hosts.own, "%s/%s.%ld-%d", hosts.folder, host, (long)getpid(), traced);
    if (n < (int)sizeof hosts.own && make_file(hosts.own))
        return true;
    hosts.own[0] = '\0';
    return false;
}

static void add_number(const char *name, void *sum)
{
    const char *number = strrchr(name, '-');
    if (number && *name != '.')
        *(int *)sum += atoi(number + 1);
}

/* Counts the traced processes. Creating and removing a file makes a client of a network file system ask the server for the
 * list. */
static bool count_traced(int *sum)
{
    char path[PATH_MAX];
    *sum = 0;
    if (snprintf(path, sizeof path, "%s/.%ld", hosts.folder, (long)getpid()) >= (int)sizeof path || !make_file(path))
        return false;
    (void)unlink(path);
    return paths_list(hosts.folder, add_number, sum);
}

/* Makes ANSWER the answer for all hosts, unless another process has given an answer. Returns the answer for all hosts. *MADE:
 * this process has given the answer. */
static enum hosts_answer answer(enum hosts_answer answer, bool *made)
{
    static const char *const words[] = {"unknown", "all", "some"};
    char path[PATH_MAX], word[16] = "";
    if (snprintf(path, sizeof path, "%s/answer", hosts.folder) >= (int)sizeof path)
        return HOSTS_UNKNOWN;
    *made = symlink(words[answer], path) == 0;
    if (*made)
        return answer;
    const ssize_t n = errno == EEXIST ? readlink(path, word, sizeof word - 1) : -1;
    return n < 0 ? HOSTS_UNKNOWN : strcmp(word, words[HOSTS_ALL]) == 0 ? HOSTS_ALL : HOSTS_SOME;
}

static bool has_answer(void)
{
    char path[PATH_MAX];
    struct stat st;
    return snprintf(path, sizeof path, "%s/answer", hosts.folder) < (int)sizeof path && lstat(path, &st) == 0;
}

enum hosts_answer hosts_query(const char *job, int traced, int ranks, int wait_ms, struct hosts_count *count)
{
    bool made = false;
    *count = (struct hosts_count){.where = hosts.parent};
    if (!make_folder(job) || (traced > 0 && !make_own(traced)))
        return HOSTS_UNKNOWN;
    int ms = FIRST_SLEEP_MS, waited_ms = 0;
    for (;;) {
        if (!count_traced(&count->traced))
            return HOSTS_UNKNOWN;
        if (count->traced >= ranks || waited_ms >= wait_ms || has_answer())
            break;
        nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
        waited_ms += ms;
        ms = 2 * ms < LONGEST_SLEEP_MS ? 2 * ms : LONGEST_SLEEP_MS;
    }
    const enum hosts_answer found = answer(count->traced >= ranks ? HOSTS_ALL : HOSTS_SOME, &made);
    count->reports = made && found == HOSTS_SOME;
    return found;
}

void hosts_end(void)
{
    char path[PATH_MAX];
    if (hosts.own[0] != '\0')
        (void)unlink(hosts.own);
    if (hosts.folder[0] != '\0' && snprintf(path, sizeof path, "%s/answer", hosts.folder) < (int)sizeof path)
        (void)unlink(path);
    if (hosts.folder[0] != '\0')
        (void)rmdir(hosts.folder);
    hosts.own[0] = hosts.folder[0] = '\0';
}
