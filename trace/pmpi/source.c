/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/pmpi/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/report.h"
#include "trace/store/signature.h"

/* Returns the content of PATH, of *SIZE bytes, which the caller frees; NULL with ERR. */
static char *read_file(const char *path, size_t *size, struct mpg_error *err)
{
    struct stat st;
    char *text = NULL;
    size_t done = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        mpg_error_errno(err, errno, "%s", path);
        goto out;
    }
    if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > MPG_STORED_MAX_BYTES) {
        mpg_error_set(err, "%s: empty, larger than a signature can be, or not a regular file", path);
        goto out;
    }
    if (!(text = malloc((size_t)st.st_size))) {
        mpg_error_set(err, "%s: out of memory", path);
        goto out;
    }
    for (ssize_t n; done < (size_t)st.st_size; done += n > 0 ? (size_t)n : 0) {
        n = read(fd, text + done, (size_t)st.st_size - done);
        if (n > 0 || (n < 0 && errno == EINTR))
            continue;
        mpg_error_errno(err, n < 0 ? errno : EIO, "%s", path);
        free(text);
        text = NULL;
        break;
    }
out:
    *size = done;
    if (fd >= 0)
        close(fd);
    return text;
}

void source_store(struct mpg_trace_writer *w)
{
    struct mpg_error err;
    size_t bytes;
    const char *path = getenv("MPGTRACE_SIGNATURE");
    if (!path)
        return;
    char *text = read_file(path, &bytes, &err);
    if (!text || mpg_trace_write_signature(w, path, text, bytes, &err) < 0)
        report("the source's signature is not in the trace: %s", err.text);
    free(text);
}
