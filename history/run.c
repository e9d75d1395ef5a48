/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored runs in memory, and checksums of files. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/history.h"

void mpg_history_run_clear(struct mpg_history_run *run)
{
    for (size_t i = 0; i < run->arguments; i++)
        free(run->argument[i]);
    for (size_t i = 0; i < run->inputs; i++) {
        free(run->input[i].role);
        free(run->input[i].path);
        free(run->input[i].sum);
    }
    free(run->argument);
    free(run->input);
    free(run->time);
    free(run->version);
    free(run->directory);
    free(run->answer);
    *run = (struct mpg_history_run){.id = 0};
}

void mpg_history_signature_clear(struct mpg_history_signature *s)
{
    free(s->time);
    free(s->version);
    free(s->host);
    free(s->measured);
    free(s->path);
    free(s->sum);
    free(s->text);
    *s = (struct mpg_history_signature){.id = 0};
}

int mpg_history_add_argument(struct mpg_history_run *run, const char *text, struct mpg_error *err)
{
    char **grown = realloc(run->argument, (run->arguments + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    run->argument = grown;
    if (!(grown[run->arguments] = strdup(text)))
        return mpg_error_set(err, "out of memory");
    run->arguments++;
    return 0;
}

int mpg_history_add_input(struct mpg_history_run *run, const char *role, const char *path, const char *sum,
                          struct mpg_error *err)
{
    struct mpg_history_input *grown = realloc(run->input, (run->inputs + 1) * sizeof *grown);
    if (!grown)
        return mpg_error_set(err, "out of memory");
    run->input = grown;
    struct mpg_history_input *input = &grown[run->inputs++];
    *input = (struct mpg_history_input){strdup(role), strdup(path), strdup(sum)};
    return input->role && input->path && input->sum ? 0 : mpg_error_set(err, "out of memory");
}

void mpg_history_checksum(const char *path, char sum[40])
{
    const uint64_t prime = 0x100000001b3;
    uint64_t hash = 0xcbf29ce484222325, size = 0;
    unsigned char buffer[65536];
    ssize_t got = -1;
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    sum[0] = '\0';
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        while ((got = read(fd, buffer, sizeof buffer)) > 0) {
            size += (uint64_t)got;
            for (ssize_t i = 0; i < got; i++)
                hash = (hash ^ buffer[i]) * prime;
        }
    if (fd >= 0)
        close(fd);
    if (got == 0)
        snprintf(sum, 40, "%" PRIu64 "-%016" PRIx64, size, hash);
}
