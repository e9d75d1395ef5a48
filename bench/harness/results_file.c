/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results files: header lines and samples. */
#include "config.h"

#include "bench/harness/results_file.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output.h"

struct mpg_header_line {
    char key[64];
    char value[MPG_RESULTS_VALUE];
};

static struct mpg_header_line *add_line(struct mpg_header *header, struct mpg_error *err)
{
    struct mpg_header_line *grown = realloc(header->line, (header->n + 1) * sizeof *grown);
    if (!grown) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    header->line = grown;
    return &grown[header->n++];
}

static void fill_line(struct mpg_header_line *line, const char *key, const char *format,
                      va_list args)
{
    snprintf(line->key, sizeof line->key, "%s", key);
    vsnprintf(line->value, sizeof line->value, format, args);
    for (char *p = line->value; *p; p++)
        if (iscntrl((unsigned char)*p))
            *p = ' ';
}

int mpg_header_add(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...)
{
    struct mpg_header_line *line = add_line(header, err);
    if (!line)
        return -1;
    va_list args;
    va_start(args, format);
    fill_line(line, key, format, args);
    va_end(args);
    return 0;
}

int mpg_header_set(struct mpg_header *header, struct mpg_error *err, const char *key,
                   const char *format, ...)
{
    struct mpg_header_line *line = NULL;
    for (size_t i = 0; i < header->n && !line; i++)
        if (strcmp(header->line[i].key, key) == 0)
            line = &header->line[i];
    if (!line && !(line = add_line(header, err)))
        return -1;
    va_list args;
    va_start(args, format);
    fill_line(line, key, format, args);
    va_end(args);
    return 0;
}

void mpg_header_clear(struct mpg_header *header)
{
    free(header->line);
    *header = (struct mpg_header){0, NULL};
}

static char *join(const char *dir, const char *name, struct mpg_error *err)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
    else
        mpg_error_set(err, "out of memory");
    return path;
}

static void print_header(FILE *stream, const struct mpg_header *header)
{
    fputs("#mpgresults 2\n", stream);
    for (size_t i = 0; i < header->n; i++)
        fprintf(stream, "# %s: %s\n", header->line[i].key, header->line[i].value);
}

static void print_samples(FILE *stream, const struct mpg_bench_samples *samples)
{
    const double *value = samples->value;
    fprintf(stream, "# columns: %s\n", samples->columns);
    for (size_t i = 0; i < samples->n && !ferror(stream); i++)
        for (int c = 0; c < samples->n_columns; c++)
            fprintf(stream, "%.*f%c", samples->decimals[c], *value++,
                    c + 1 < samples->n_columns ? ' ' : '\n');
    fprintf(stream, "# end %zu\n", samples->n);
}

void mpg_results_file_block_interrupts(sigset_t *before)
{
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigaddset(&interrupts, SIGHUP);
    sigprocmask(SIG_BLOCK, &interrupts, before);
}

int mpg_results_file_write(const char *dir, const char *name, const struct mpg_header *header,
                     const struct mpg_bench_samples *samples, struct mpg_error *err)
{
    sigset_t before;
    int status = -1;
    char *path = join(dir, name, err);
    if (!path)
        return -1;
    mpg_results_file_block_interrupts(&before);
    struct mpg_output *out = mpg_output_open(path, err);
    if (out) {
        print_header(mpg_output_stream(out), header);
        print_samples(mpg_output_stream(out), samples);
        status = mpg_output_commit(out, err);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(path);
    return status;
}

/* ---- interrupts ---- */

static struct {
    const char *program, *dir;
    const atomic_bool *silent;
    void (*step)(void); /* NULL: none */
} announced;

static void write_error_text(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* if this write fails, there is no other way to report */
}

static void announce(int number)
{
    if (!announced.silent || !atomic_load(announced.silent)) {
        write_error_text(announced.program);
        write_error_text(": interrupted; the files in ");
        write_error_text(announced.dir);
        write_error_text(" are complete, the running measurement is lost\n");
    }
    if (announced.step)
        announced.step();
    raise(number); /* the signal's default action, restored by SA_RESETHAND, now ends the process */
}

void mpg_results_file_before_interrupt(void (*step)(void))
{
    announced.step = step;
}

void mpg_results_file_on_interrupt(const char *program, const char *dir, const atomic_bool *silent)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = announce, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    announced.program = program;
    announced.dir = dir;
    announced.silent = silent;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL); /* signals ignored by nohup stay ignored */
}

int mpg_results_file_prepare(const char *dir, struct mpg_error *err)
{
    sigset_t before;
    if (!*dir)
        return mpg_error_set(err, "the results folder has an empty name");
    if (mpg_directory_make(dir, err) < 0)
        return -1;
    char *path = join(dir, "probe", err);
    if (!path)
        return -1;
    mpg_results_file_block_interrupts(&before);
    struct mpg_output *out = mpg_output_open(path, err);
    mpg_output_discard(out);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(path);
    return out ? 0 : mpg_error_prefix(err, "cannot write into results folder %s", dir);
}
