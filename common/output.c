/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files, renamed on success; the check of standard output. */
#include "common/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/temporary.h"

struct mpg_output {
    FILE *stream;
    char *path;  /* NULL: the output goes to standard output */
    char *temporary; /* renamed to PATH at the end; NULL: PATH is a device or a pipe and is written directly */
};

static void output_free(struct mpg_output *out)
{
    free(out->path);
    free(out->temporary);
    free(out);
}

/* Returns true if PATH is a device, a pipe or anything else not to be replaced by an output file. */
static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static void remove_temporary(const struct mpg_output *out)
{
    unlink(out->temporary);
    mpg_temporary_forget(out->temporary);
}

static int open_temporary(struct mpg_output *out, struct mpg_error *err)
{
    size_t size = strlen(out->path) + 16;
    if (!(out->temporary = malloc(size)))
        return mpg_error_set(err, "out of memory");
    int fd = mpg_temporary_file(out->path, out->temporary, size);
    if (fd < 0)
        return mpg_error_errno(err, errno, "%s", out->path);
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) < 0 || !(out->stream = fdopen(fd, "w"))) {
        mpg_error_errno(err, errno, "%s", out->path);
        close(fd);
        remove_temporary(out);
        return -1;
    }
    return 0;
}

static int open_in_place(struct mpg_output *out, struct mpg_error *err)
{
    out->stream = fopen(out->path, "w");
    return out->stream ? 0 : mpg_error_errno(err, errno, "%s", out->path);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Writes the status of PATH's parent folder into ST. */
static bool folder_of(const char *path, struct stat *st)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool is_there = folder && stat(folder, st) == 0;
    free(folder);
    return is_there;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool mpg_output_same(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && same_file(&x, &y)))
        return true;
    return strcmp(name_of(a), name_of(b)) == 0 && folder_of(a, &x) && folder_of(b, &y) && same_file(&x, &y);
}

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), n = strlen(end);
    return length > n && strcmp(text + length - n, end) == 0;
}

int mpg_output_differs_from_input(const char *option, const char *output, const char *input, struct mpg_error *err)
{
    struct stat out, in, folder;
    if (!input || strcmp(output, "-") == 0 || (strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(input, &in)) < 0)
        return 0;
    const bool is_there = stat(output, &out) == 0;
    if (is_there && !S_ISREG(out.st_mode))
        return 0;
    const bool is_part = S_ISDIR(in.st_mode) && (ends_in(output, ".mpgt") || ends_in(output, ".samples")) &&
                         folder_of(output, &folder) && same_file(&folder, &in);
    if (is_part && !is_there)
        return mpg_error_set(err, "--%s: %s would lie in an input folder, as a part of the input", option, output);
    return is_part || (is_there && same_file(&out, &in)) ? mpg_error_set(err, "--%s: %s is an input", option, output) : 0;
}

struct mpg_output *mpg_output_open(const char *path, struct mpg_error *err)
{
    struct mpg_output *out = calloc(1, sizeof *out);
    if (!out) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    if (strcmp(path, "-") == 0) {
        out->stream = stdout;
        return out;
    }
    if (!(out->path = strdup(path))) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    if ((is_special(path) ? open_in_place(out, err) : open_temporary(out, err)) < 0)
        goto fail;
    return out;
fail:
    output_free(out);
    return NULL;
}

FILE *mpg_output_stream(struct mpg_output *out)
{
    return out->stream;
}

int mpg_output_flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) != 0)
        return errno ? errno : EIO;
    if (!ferror(stream))
        return 0;
    /* The errno of an earlier write is lost. A further write most probably fails for the same reason. */
    if (fputc('\n', stream) == EOF || fflush(stream) != 0)
        return errno ? errno : EIO;
    return EIO;
}

int mpg_output_commit(struct mpg_output *out, struct mpg_error *err)
{
    int status = 0;
    if (!out->path) {
        status = mpg_stdout_close(err);
        output_free(out);
        return status;
    }
    int reason = mpg_output_flush(out->stream);
    if (fclose(out->stream) != 0 && !reason)
        reason = errno;
    if (!reason && out->temporary && rename(out->temporary, out->path) != 0)
        reason = errno;
    if (reason) {
        if (out->temporary)
            remove_temporary(out);
        status = mpg_error_errno(err, reason, "%s: cannot write", out->path);
    }
    if (out->temporary)
        mpg_temporary_forget(out->temporary);
    output_free(out);
    return status;
}

void mpg_output_discard(struct mpg_output *out)
{
    if (!out)
        return;
    if (out->path) {
        (void)fclose(out->stream);
        if (out->temporary)
            remove_temporary(out);
    }
    output_free(out);
}

int mpg_stdout_close(struct mpg_error *err)
{
    int reason = mpg_output_flush(stdout);
    if (close(STDOUT_FILENO) != 0 && !reason && errno != EBADF)
        reason = errno;
    return reason ? mpg_error_errno(err, reason, "standard output: cannot write") : 0;
}

int mpg_directory_make(const char *path, struct mpg_error *err)
{
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 0;
    int saved = errno;
    if (saved == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return 0;
    return mpg_error_errno(err, saved == EEXIST ? ENOTDIR : saved, "%s", path);
}
