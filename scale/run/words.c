/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes the words of the command for each run. */
#define _GNU_SOURCE
#include "scale/run/words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text_stream.h"

/* Returns 0 if PATH can be executed, else the errno with the reason. */
static int why_not(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return access(path, X_OK) < 0 ? errno : 0;
}

/* Returns 0 if execvp() can execute NAME, else the errno with the reason. */
static int cannot_run(const char *name)
{
    int failed = ENOENT;
    if (!*name || strchr(name, '/'))
        return *name ? why_not(name) : ENOENT;
    const char *folders = getenv("PATH");
    for (const char *p = folders ? folders : "/bin:/usr/bin"; p;) {
        char path[PATH_MAX];
        const size_t length = strcspn(p, ":");
        const int n = snprintf(path, sizeof path, "%.*s%s%s", (int)length, p, length ? "/" : "", name);
        const int why = n < (int)sizeof path ? why_not(path) : ENAMETOOLONG;
        if (why == 0)
            return 0;
        failed = why == EACCES ? EACCES : failed;
        p = p[length] ? p + length + 1 : NULL;
    }
    return failed;
}

bool mpg_scale_run_has_ranks(char *const *command)
{
    for (; *command; command++)
        if (strstr(*command, SCALE_RUN_RANKS))
            return true;
    return false;
}

int mpg_scale_run_program(char *const *command, struct mpg_error *err)
{
    const int why = cannot_run(command[0]);
    const char *missing = NULL;
    int found = -1;
    if (why)
        return mpg_error_errno(err, why, "%s", command[0]);
    for (int i = 1; command[i]; i++)
        if (strcmp(command[i], SCALE_RUN_RECORD) == 0)
            return command[i + 1] ? i : mpg_error_set(err, SCALE_RUN_RECORD " has no program behind it");
    for (int i = 1; command[i]; i++) {
        if (strcmp(command[i], ":") == 0)
            return mpg_error_set(err, "several programs: write " SCALE_RUN_RECORD " before each to be recorded");
        if (found >= 0 || command[i][0] == '-')
            continue;
        if (cannot_run(command[i]) == 0)
            found = i;
        else if (strchr(command[i], '/') && !strchr(command[i], '{'))
            missing = missing ? missing : command[i];
    }
    if (found < 0 && missing)
        return mpg_error_errno(err, cannot_run(missing), "%s", missing);
    if (found < 0)
        return mpg_error_set(err, "no program that can be run behind %s: write " SCALE_RUN_RECORD " before it",
                             command[0]);
    return found;
}

/* Returns WORD with each {ranks} replaced by RANKS, for the caller to free; NULL: out of memory. */
static char *with_ranks(const char *word, int32_t ranks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *place; (place = strstr(word, SCALE_RUN_RANKS)); word = place + strlen(SCALE_RUN_RANKS))
        fprintf(out, "%.*s%d", (int)(place - word), word, ranks);
    fputs(word, out);
    return mpg_text_end(out, &text) ? text : NULL;
}

static size_t number_of(char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

void mpg_scale_run_free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

char **mpg_scale_run_words(char *const *command, int program, int32_t ranks, char *const *record)
{
    const size_t max = number_of(command) * (number_of(record) + 1) + 1;
    char **words = calloc(max, sizeof *words);
    bool good = words != NULL;
    size_t n = 0;
    for (int i = 0; good && command[i]; i++) {
        const bool place = strcmp(command[i], SCALE_RUN_RECORD) == 0;
        for (size_t k = 0; good && (place || i == program) && record[k]; k++)
            good = (words[n++] = strdup(record[k])) != NULL;
        if (good && !place)
            good = (words[n++] = with_ranks(command[i], ranks)) != NULL;
    }
    if (good)
        return words;
    mpg_scale_run_free_words(words);
    return NULL;
}

void mpg_scale_run_find_mpgtrace(char *path, unsigned long size)
{
    static const char *const beside[] = {"mpgtrace", "../trace/mpgtrace", "../../trace/mpgtrace"};
    char own[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n > 0) {
        own[n] = '\0';
        *strrchr(own, '/') = '\0';
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            if (snprintf(path, size, "%s/%s", own, beside[i]) < (int)size && access(path, X_OK) == 0)
                return;
    }
    snprintf(path, size, "mpgtrace");
}
