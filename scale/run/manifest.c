/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder with the recorded runs, and its manifest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/output.h"
#include "common/text_stream.h"
#include "scale/run/plan.h"

static const char NAME[] = "manifest.tsv";

/* Writes TEXT with \t, \n, \r and \\ for tabs, line ends and backslashes. */
static void put_word(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *escape = *text == '\t' ? "\\t" : *text == '\n' ? "\\n" : *text == '\r' ? "\\r" : NULL;
        if (*text == '\\')
            escape = "\\\\";
        if (escape)
            fputs(escape, out);
        else
            putc(*text, out);
    }
}

static void put_line(FILE *out, const char *key, const struct mpg_option_list *words)
{
    fprintf(out, "#%s", key);
    for (size_t i = 0; i < words->n; i++) {
        putc('\t', out);
        put_word(out, words->item[i]);
    }
    putc('\n', out);
}

/* Returns the first lines of a manifest for COMMAND in MODE, for the caller to free; NULL: out of memory. All versions of
 * mpgscale write equal first lines. */
static char *head_of(char *const *command, const char *mode)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "#mpgscale run 1\n#command");
    for (; *command; command++) {
        putc('\t', out);
        put_word(out, *command);
    }
    fprintf(out, "\n#mode\t%s\n", mode);
    return mpg_text_end(out, &text) ? text : NULL;
}

/* Returns the lines of a manifest that state SETTINGS, for the caller to free; NULL: out of memory. Older manifests lack these
 * lines. */
static char *settings_text(const struct scale_run_settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("#input\t", out);
    put_word(out, settings->input);
    putc('\n', out);
    put_line(out, "record", &settings->record);
    put_line(out, "label", &settings->labels);
    return mpg_text_end(out, &text) ? text : NULL;
}

/* Appends TEXT, whole lines, to the manifest. On failure, cuts off the part that was written. */
static int append(struct scale_plan *plan, const char *text, struct mpg_error *err)
{
    const off_t end = lseek(plan->manifest, 0, SEEK_END);
    const size_t bytes = strlen(text);
    errno = 0;
    if (end >= 0 && write(plan->manifest, text, bytes) == (ssize_t)bytes && fsync(plan->manifest) == 0)
        return 0;
    const int why = errno ? errno : ENOSPC;
    if (end >= 0 && ftruncate(plan->manifest, end) < 0)
        return mpg_error_errno(err, why, "%s, whose last line is cut off", plan->path);
    return mpg_error_errno(err, why, "%s", plan->path);
}

/* Returns the text of the manifest, for the caller to free. A last line without an end, left by an interruption, is
 * removed from the file. NULL with ERR. */
static char *text_of(struct scale_plan *plan, struct mpg_error *err)
{
    struct stat st;
    if (fstat(plan->manifest, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > 1 << 24) {
        mpg_error_set(err, "%s: not a manifest", plan->path);
        return NULL;
    }
    char *text = calloc((size_t)st.st_size + 1, 1);
    if (!text) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    size_t have = 0;
    for (ssize_t n = 1; n > 0 && have < (size_t)st.st_size; have += n > 0 ? (size_t)n : 0)
        n = pread(plan->manifest, text + have, (size_t)st.st_size - have, (off_t)have);
    char *last = strrchr(text, '\n');
    const size_t whole = last ? (size_t)(last + 1 - text) : 0;
    if (strlen(text) != (size_t)st.st_size || have != (size_t)st.st_size) {
        free(text);
        mpg_error_set(err, "%s: not a manifest", plan->path);
        return NULL;
    }
    text[whole] = '\0';
    if (whole < have && ftruncate(plan->manifest, (off_t)whole) < 0) {
        mpg_error_errno(err, errno, "%s", plan->path);
        free(text);
        return NULL;
    }
    return text;
}

/* Marks the run with folder NAME as done, if PLAN has this run. */
static void mark(struct scale_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->n; i++)
        if (strcmp(plan->todo[i].name, name) == 0 && !plan->todo[i].done) {
            plan->todo[i].done = true;
            plan->done++;
        }
}

/* Returns whether the line of KEY is equal in the manifest TEXT and in SETTINGS, or missing in TEXT. */
static bool agrees(const char *text, const char *settings, const char *key)
{
    char begin[32];
    const int length = snprintf(begin, sizeof begin, "\n#%s", key);
    const char *line = text;
    while ((line = strstr(line, begin)) && line[length] != '\t' && line[length] != '\n')
        line += length;
    const char *wanted = strncmp(settings, begin + 1, (size_t)length - 1) == 0 ? settings : strstr(settings, begin) + 1;
    const size_t bytes = strcspn(wanted, "\n");
    return !line || (strcspn(line + 1, "\n") == bytes && strncmp(line + 1, wanted, bytes) == 0);
}

/* Returns an error if the runs in the manifest TEXT have settings different from SETTINGS. */
static int check_settings(const struct scale_plan *plan, const char *text, const char *settings, struct mpg_error *err)
{
    static const char *const keys[] = {"input", "record", "label"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!agrees(text, settings, keys[i]))
            return mpg_error_set(err, "%s: holds runs with another --%s (its %s says which): -o names another folder",
                                 plan->folder, keys[i], NAME);
    return 0;
}

/* Returns an error if LINE, of a finished run, has different labels than PLAN. In older manifests only these lines have
 * labels. */
static int check_labels(const struct scale_plan *plan, const char *line, struct mpg_error *err)
{
    const char *seconds = strstr(line, "\tseconds=");
    const char *labels = seconds ? seconds + 1 + strcspn(seconds + 1, "\t") : NULL;
    return !labels || strcmp(labels, plan->labels) == 0
               ? 0
               : mpg_error_set(err, "%s: holds runs with another --label (its %s says which): -o names another folder",
                               plan->folder, NAME);
}

/* Reads the manifest and marks the runs that are done; writes HEAD and SETTINGS into an empty manifest. Errors: the manifest
 * does not begin with HEAD, or contradicts SETTINGS. */
static int take(struct scale_plan *plan, const char *head, const char *settings, struct mpg_error *err)
{
    char *text = text_of(plan, err);
    if (!text)
        return -1;
    int status = 0;
    if (*text == '\0')
        status = append(plan, head, err) < 0 ? -1 : append(plan, settings, err);
    else if (strncmp(text, head, strlen(head)) != 0)
        status = mpg_error_set(err, "%s: holds runs of another command or mode (its %s says which): -o names "
                                    "another folder", plan->folder, NAME);
    else
        status = check_settings(plan, text, settings, err);
    char *rest = text;
    for (char *line; status == 0 && (line = strsep(&rest, "\n"));)
        if (*line && *line != '#' && (status = check_labels(plan, line, err)) == 0) {
            line[strcspn(line, "\t")] = '\0';
            mark(plan, line);
        }
    free(text);
    return status;
}

/* Returns an error if FOLDER, which has no manifest, is not empty. */
static int check_folder(const char *folder, struct mpg_error *err)
{
    int status = 0;
    DIR *in = opendir(folder);
    if (!in)
        return mpg_error_errno(err, errno, "%s", folder);
    for (struct dirent *entry; status == 0 && (entry = readdir(in));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = mpg_error_set(err, "%s: holds something else already: -o names another folder", folder);
    closedir(in);
    return status;
}

static int open_manifest(struct scale_plan *plan, struct mpg_error *err)
{
    if (mpg_directory_make(plan->folder, err) < 0)
        return -1;
    if (asprintf(&plan->path, "%s/%s", plan->folder, NAME) < 0) {
        plan->path = NULL;
        return mpg_error_set(err, "out of memory");
    }
    if (access(plan->path, F_OK) < 0 && check_folder(plan->folder, err) < 0)
        return -1;
    struct stat st;
    plan->manifest = open(plan->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    if (plan->manifest < 0 || fstat(plan->manifest, &st) < 0)
        return mpg_error_errno(err, errno, "%s", plan->path);
    if (!S_ISREG(st.st_mode))
        return mpg_error_set(err, "%s: not a regular file", plan->path);
    if (flock(plan->manifest, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return mpg_error_set(err, "%s: another mpgscale run is at work there", plan->folder);
    return 0;
}

static char *labels_of(const struct mpg_option_list *labels)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < labels->n; i++)
        fprintf(out, "\t%s", labels->item[i]);
    return mpg_text_end(out, &text) ? text : NULL;
}

int mpg_scale_run_open(struct scale_plan *plan, const char *folder, char *const *command, const char *mode,
                       const struct scale_run_settings *settings, struct mpg_error *err)
{
    char *head = head_of(command, mode), *more = settings_text(settings);
    plan->folder = folder;
    plan->labels = labels_of(&settings->labels);
    int status = head && more && plan->labels ? 0 : mpg_error_set(err, "out of memory");
    if (status == 0)
        status = open_manifest(plan, err);
    if (status == 0)
        status = take(plan, head, more, err);
    free(head);
    free(more);
    return status;
}

int mpg_scale_run_done(struct scale_plan *plan, struct scale_todo *todo, double seconds, struct mpg_error *err)
{
    char *line;
    if (asprintf(&line, "%s\tranks=%d\trepetition=%d\tseconds=%.3f%s\n", todo->name, todo->ranks,
                 todo->repetition, seconds, plan->labels) < 0)
        return mpg_error_set(err, "out of memory");
    const int status = append(plan, line, err);
    free(line);
    if (status == 0) {
        todo->done = true;
        plan->done++;
    }
    return status;
}

int mpg_scale_run_failed(struct scale_plan *plan, const struct scale_todo *todo, const char *why,
                         struct mpg_error *err)
{
    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return mpg_error_set(err, "out of memory");
    fprintf(out, "#failed\t%s\t", todo->name);
    put_word(out, why);
    putc('\n', out);
    const int status = mpg_text_end(out, &line) ? append(plan, line, err) : mpg_error_set(err, "out of memory");
    free(line);
    return status;
}

void mpg_scale_run_close(struct scale_plan *plan)
{
    if (plan->manifest >= 0)
        close(plan->manifest);
    free(plan->path);
    free(plan->labels);
    free(plan->todo);
    *plan = (struct scale_plan){.manifest = -1};
}
