/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgtrace print and mpgtrace import. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/aside.h"
#include "common/kind.h"
#include "common/option.h"
#include "common/output.h"
#include "common/printable.h"
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
    if (mpg_trace_cut(t)) {
        fprintf(stderr, "%s: warning: ", program.name);
        mpg_printable_put(stderr, mpg_trace_cut(t));
        putc('\n', stderr);
    }
    int status = mpg_output_commit(out, &err);
    mpg_trace_close(t);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}

static bool is_trace_file(int folder, const char *name)
{
    const char *dot = strrchr(name, '.');
    struct stat st;
    return dot && strcmp(dot, ".mpgt") == 0 &&
           fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

/* Whether OUTPUT may be replaced: it is not there, or an empty folder, or with FORCE one of
 * a trace, of this user's. A link is none: what it leads to may be anybody's. */
static int check_replaceable(const char *output, bool force, struct mpg_error *err)
{
    struct stat st;
    bool holds_any = false;
    int status = 0, fd = open(output, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 && lstat(output, &st) == 0 && S_ISLNK(st.st_mode))
        return mpg_error_set(err, "%s: not replaced, as it is a link: name what it leads to",
                             output);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir || fstat(fd, &st) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        if (dir)
            closedir(dir);
        else if (fd >= 0)
            close(fd);
        return -1;
    }
    if (st.st_uid != geteuid())
        status = mpg_error_set(err, "%s: not replaced, as it is another user's", output);
    for (struct dirent *entry; status == 0 && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        holds_any = true;
        if (!is_trace_file(fd, name))
            status = mpg_error_set(err, "%s: not replaced, as it holds more than a trace: %s",
                                   output, name);
    }
    if (status == 0 && holds_any && !force)
        status = mpg_error_set(err, "%s: holds a trace already: --force replaces it, -o names "
                                    "another folder", output);
    closedir(dir);
    return status;
}

/* Where the file system cannot exchange two names: what was in OUTPUT's place is beside it
 * for a moment, and stays there if a signal comes then. */
static int replace_in_steps(const char *aside, const char *output, struct mpg_error *err)
{
    char old[4096];
    if (mpg_aside_folder(output, old, sizeof old) < 0)
        return mpg_error_errno(err, errno, "%s", output);
    mpg_aside_done(old);
    if (rename(output, old) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        (void)rmdir(old);
        return -1;
    }
    if (rename(aside, output) < 0) {
        mpg_error_errno(err, errno, "%s", output);
        (void)rename(old, output);
        return -1;
    }
    mpg_aside_remove_folder(old);
    return 0;
}

/* Puts the folder ASIDE in the place of OUTPUT; what was there before is removed then. */
static int replace(const char *aside, const char *output, bool force, struct mpg_error *err)
{
    if (rename(aside, output) == 0)
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return mpg_error_errno(err, errno, "%s", output);
    if (check_replaceable(output, force, err) < 0)
        return -1;
    if (renameat2(AT_FDCWD, aside, AT_FDCWD, output, RENAME_EXCHANGE) < 0)
        return replace_in_steps(aside, output, err);
    mpg_aside_remove_folder(aside);
    return 0;
}

/* Imports into a folder beside OUTPUT, then puts it in OUTPUT's place. */
static int import_aside(FILE *text, const char *name, const char *given, bool force,
                        struct mpg_error *err)
{
    char output[4000], aside[4096];
    size_t length = strlen(given);
    while (length > 1 && given[length - 1] == '/') /* as a shell completes it */
        length--;
    if (length >= sizeof output)
        return mpg_error_set(err, "%s: name too long", given);
    memcpy(output, given, length);
    output[length] = '\0';
    if (check_replaceable(output, force, err) < 0)
        return -1;
    if (mpg_aside_folder(output, aside, sizeof aside) < 0)
        return mpg_error_errno(err, errno, "%s", output);
    mode_t mask = umask(0);
    umask(mask);
    (void)chmod(aside, 0777 & ~mask); /* mkdtemp's folder is for its owner alone */
    int status = mpg_text_import(text, name, aside, -1, err);
    if (status == 0)
        status = replace(aside, output, force, err);
    if (status < 0)
        mpg_aside_remove_folder(aside);
    mpg_aside_done(aside);
    return status;
}

int mpg_import_main(int argc, char **argv)
{
    const char *output = "app.trace", *text_path = NULL;
    bool force = false;
    const struct mpg_option options[] = {
        {.name = "text", .kind = MPG_OPTION_STRING, .value = &text_path, .argument = "FILE",
         .help = "the mpgtext file to read, - for standard input"},
        {.name = "output", .letter = 'o', .kind = MPG_OPTION_STRING, .value = &output,
         .argument = "TRACE", .help = "the trace folder to make (default app.trace)"},
        {.name = "force", .kind = MPG_OPTION_FLAG, .value = &force,
         .help = "replace the trace that the folder holds"},
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
    int status = import_aside(text, name, output, force, &err);
    if (status < 0 && !is_stdin)
        mpg_kind_explain(text_path, MPG_FILE_TRACE_TEXT, &err);
    if (!is_stdin)
        (void)fclose(text);
    return status < 0 ? fail(program.name, &err) : MPG_EXIT_OK;
}
