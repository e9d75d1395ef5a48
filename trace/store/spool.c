/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies input that cannot be read twice, such as a pipe, to a temporary file. */
#include "trace/store/spool.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/store/chunk.h"

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

int mpg_spool_write(int fd, const void *bytes, size_t size, int64_t at, const char *name, struct mpg_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = pwrite(fd, (const char *)bytes + done, size - done, (off_t)(at + (int64_t)done));
        if (n < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot write", name);
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int mpg_spool_read(int fd, void *bytes, size_t size, int64_t at, const char *name, size_t *got, struct mpg_error *err)
{
    for (*got = 0; *got < size;) {
        const ssize_t n = pread(fd, (char *)bytes + *got, size - *got, (off_t)(at + (int64_t)*got));
        if (n < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot read", name);
        if (n == 0)
            break;
        *got += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Writes SIZE bytes to the temporary file FD, at the file's current position. Returns 0, or -1 with ERR. */
static int put(int fd, const char *bytes, size_t size, struct mpg_error *err)
{
    char name[MPG_SPOOL_NAME_BYTES];
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR)
            return mpg_error_errno(err, errno, "%s: cannot write", mpg_spool_name(name));
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* Copies SIZE bytes from IN to FD, or fewer at IN's end; *COPIED: number of bytes copied. */
static int copy(FILE *in, int fd, uint64_t size, uint64_t *copied, struct mpg_error *err)
{
    char buffer[65536];
    size_t n = 1;
    for (*copied = 0; *copied < size && n > 0; *copied += n) {
        n = size - *copied < sizeof buffer ? (size_t)(size - *copied) : sizeof buffer;
        if ((n = fread(buffer, 1, n, in)) == 0 && ferror(in))
            return mpg_error_errno(err, errno, "cannot read");
        if (put(fd, buffer, n, err) < 0)
            return -1;
    }
    return 0;
}

/* Copies the next chunk from IN to FD. N bytes of the chunk's header have been read into HEADER already. Returns 1; 0: end of
 * IN; -1 with ERR. */
static int copy_chunk(FILE *in, int fd, uint8_t *header, size_t n, uint64_t *offset, struct mpg_error *err)
{
    struct mpg_chunk chunk;
    uint64_t copied = 0;
    n += fread(header + n, 1, MPG_CHUNK_HEADER_BYTES - n, in);
    if (ferror(in))
        return mpg_error_errno(err, errno, "cannot read");
    if (n == MPG_CHUNK_HEADER_BYTES && mpg_chunk_unpack(header, &chunk, err) < 0)
        return mpg_error_prefix(err, "byte %llu", (unsigned long long)*offset);
    if (put(fd, (const char *)header, n, err) < 0)
        return -1;
    if (n < MPG_CHUNK_HEADER_BYTES)
        return 0;
    if (copy(in, fd, chunk.stored_bytes, &copied, err) < 0)
        return -1;
    *offset += n + copied;
    return copied == chunk.stored_bytes;
}

int mpg_spool_chunks(FILE *in, const char *start, size_t n, struct mpg_error *err)
{
    uint8_t header[MPG_CHUNK_HEADER_BYTES];
    uint64_t offset = 0;
    const int fd = mpg_spool_file(err);
    int more = fd < 0 ? -1 : 1;
    memcpy(header, start, n);
    for (; more > 0; n = 0)
        more = copy_chunk(in, fd, header, n, &offset, err);
    if (more == 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    if (more == 0)
        mpg_error_errno(err, errno, "cannot rewind the temporary file");
    if (fd >= 0)
        close(fd);
    return -1;
}
