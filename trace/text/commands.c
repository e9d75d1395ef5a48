/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace print and mpgtrace import. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/option.h"
#include "common/output.h"
#include "trace/commands.h"
#include "trace/text/text.h"

static int fail(const char *name, const struct mpg_error *err)
{
    mpg_error_print(name, err);
    return MPG_EXIT_FAILURE;
}

int mpg_print_main(int argc, char **argv)
{
    const char *output = "-";
    const struct mpg_option options[] = {
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "FILE", .help = "write to FILE instead of standard output"},
        {0}};
    const struct mpg_program program = {
        .name = "mpgtrace print", .arguments = "TRACE",
        .summary = "Print TRACE (a folder, a file, or - for standard input) as mpgtext.",
        .options = options, .min_arguments = 1, .max_arguments = 1};
    int first = mpg_option_parse(&program, argc, argv);

    struct mpg_error err;
    struct mpg_output *out = NULL;
    struct mpg_trace *t = mpg_trace_open(argv[first], &err);
    if (!t || !(out = mpg_output_open(output, &err)) ||
        mpg_text_print(t, mpg_output_stream(out), &err) < 0) {
        mpg_output_discard(out);
        mpg_trace_close(t);
        return fail(program.name, &err);
    }
    if (mpg_trace_cut(t))
        fprintf(stderr, "%s: warning: %s\n", program.name, mpg_trace_cut(t));
    int status = mpg_output_commit(out, &err);
    mpg_trace_close(t);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}

/* Whether OUTPUT may be replaced: it is not there, or a folder of a trace. */
static int check_replaceable(const char *output, struct mpg_error *err)
{
    DIR *dir = opendir(output);
    int status = 0;
    if (!dir)
        return errno == ENOENT ? 0 : mpg_error_errno(err, errno, "%s", output);
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        const char *name = entry->d_name, *dot = strrchr(name, '.');
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(dot ? dot : "", ".mpgt") != 0)
            status = mpg_error_set(err, "%s: not replaced, as it holds more than a trace: %s",
                                   output, name);
    }
    closedir(dir);
    return status;
}

/* Removes folder PATH and the rank files in it. */
static void remove_trace(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, ".mpgt") == 0)
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
    (void)rmdir(path);
}

/* Imports into a folder beside OUTPUT, then puts it in OUTPUT's place. */
static int import_aside(FILE *text, const char *name, const char *given, struct mpg_error *err)
{
    char output[4000], aside[4096], old[4096];
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/') /* as a shell completes it */
        length--;
    if (length >= sizeof output)
        return mpg_error_set(err, "%s: name too long", given);
    memcpy(output, given, length);
    output[length] = '\0';
    if (check_replaceable(output, err) < 0)
        return -1;
    if (snprintf(aside, sizeof aside, "%s.part.XXXXXX", output) >= (int)sizeof aside ||
        snprintf(old, sizeof old, "%s.old.%ld", output, (long)getpid()) >= (int)sizeof old)
        return mpg_error_set(err, "%s: name too long", output);
    if (!mkdtemp(aside))
        return mpg_error_errno(err, errno, "%s", output);
    mode_t mask = umask(0);
    umask(mask);
    (void)chmod(aside, 0777 & ~mask); /* mkdtemp's folder is for its owner alone */
    if (mpg_text_import(text, name, aside, -1, err) < 0) {
        remove_trace(aside);
        return -1;
    }
    bool replaced = rename(output, old) == 0;
    if (rename(aside, output) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        if (replaced)
            (void)rename(old, output);
        remove_trace(aside);
        return -1;
    }
    if (replaced)
        remove_trace(old);
    return 0;
}

int mpg_import_main(int argc, char **argv)
{
    const char *output = "app.trace", *text_path = NULL;
    const struct mpg_option options[] = {
        {.name = "text", .kind = MPG_OPTION_STRING, .value = &text_path, .argument = "FILE",
         .help = "the mpgtext file to read, - for standard input"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {0}};
    const struct mpg_program program = {.name = "mpgtrace import",
                                        .summary = "Make a trace from text.",
                                        .options = options};
    mpg_option_parse(&program, argc, argv);
    if (!text_path)
        mpg_option_usage_error(&program, "--text=FILE is missing");

    struct mpg_error err;
    bool is_stdin = strcmp(text_path, "-") == 0;
    const char *name = is_stdin ? "standard input" : text_path;
    FILE *text = is_stdin ? stdin : fopen(text_path, "r");
    if (!text) {
        mpg_error_errno(&err, errno, "%s", text_path);
        return fail(program.name, &err);
    }
    int status = import_aside(text, name, output, &err);
    if (!is_stdin)
        (void)fclose(text);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}
