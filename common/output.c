/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files written aside and renamed; the check of standard output. */
#include "common/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mpg_output {
    FILE *stream;
    char *path;  /* NULL: standard output */
    char *aside;
};

static void output_free(struct mpg_output *out)
{
    free(out->path);
    free(out->aside);
    free(out);
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
    size_t size = strlen(path) + 16;
    out->path = strdup(path);
    out->aside = malloc(size);
    if (!out->path || !out->aside) {
        mpg_error_set(err, "out of memory");
        goto fail;
    }
    snprintf(out->aside, size, "%s.part.XXXXXX", path);
    int fd = mkstemp(out->aside);
    if (fd < 0) {
        mpg_error_errno(err, errno, "%s", path);
        goto fail;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) < 0 || !(out->stream = fdopen(fd, "w"))) {
        mpg_error_errno(err, errno, "%s", path);
        close(fd);
        unlink(out->aside);
        goto fail;
    }
    return out;
fail:
    output_free(out);
    return NULL;
}

FILE *mpg_output_stream(struct mpg_output *out)
{
    return out->stream;
}

int mpg_output_commit(struct mpg_output *out, struct mpg_error *err)
{
    int status = 0;
    if (!out->path) {
        status = mpg_stdout_close(err);
        output_free(out);
        return status;
    }
    errno = 0;
    bool failed = fflush(out->stream) != 0 || ferror(out->stream);
    int saved = errno;
    if (fclose(out->stream) != 0 && !failed) {
        failed = true;
        saved = errno;
    }
    if (!failed && rename(out->aside, out->path) != 0) {
        failed = true;
        saved = errno;
    }
    if (failed) {
        unlink(out->aside);
        status = mpg_error_errno(err, saved ? saved : EIO, "%s: cannot write", out->path);
    }
    output_free(out);
    return status;
}

void mpg_output_discard(struct mpg_output *out)
{
    if (!out)
        return;
    if (out->path) {
        (void)fclose(out->stream);
        unlink(out->aside);
    }
    output_free(out);
}

int mpg_stdout_close(struct mpg_error *err)
{
    errno = 0;
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    int saved = errno;
    if (close(STDOUT_FILENO) != 0 && !failed && errno != EBADF) {
        failed = true;
        saved = errno;
    }
    return failed ? mpg_error_errno(err, saved ? saved : EIO, "standard output: cannot write") : 0;
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
