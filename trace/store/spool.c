/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spooling what cannot be read twice. */
#include "trace/store/spool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *folder(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

const char *mpg_spool_name(char name[MPG_SPOOL_NAME_BYTES])
{
    snprintf(name, MPG_SPOOL_NAME_BYTES, "a temporary file in %s", folder());
    return name;
}

int mpg_spool_file(struct mpg_error *err)
{
    const char *dir = folder();
    char path[4096];
    if (snprintf(path, sizeof path, "%s/mpgkit.XXXXXX", dir) >= (int)sizeof path)
        return mpg_error_set(err, "TMPDIR is too long");
    int fd = mkstemp(path);
    if (fd < 0)
        return mpg_error_errno(err, errno, "cannot make a temporary file in %s", dir);
    unlink(path);
    return fd;
}

int mpg_spool_copy(int in, struct mpg_error *err)
{
    int fd = mpg_spool_file(err);
    if (fd < 0)
        return -1;
    char buffer[65536], name[MPG_SPOOL_NAME_BYTES];
    for (;;) {
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            mpg_error_errno(err, errno, "cannot read");
            break;
        }
        if (n == 0) {
            if (lseek(fd, 0, SEEK_SET) == 0)
                return fd;
            mpg_error_errno(err, errno, "cannot rewind the temporary file");
            break;
        }
        for (ssize_t done = 0, m; done < n; done += m)
            if ((m = write(fd, buffer + done, (size_t)(n - done))) < 0) {
                if (errno == EINTR) {
                    m = 0;
                    continue;
                }
                mpg_error_errno(err, errno, "%s: cannot write", mpg_spool_name(name));
                close(fd);
                return -1;
            }
    }
    close(fd);
    return -1;
}
