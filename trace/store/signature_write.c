/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores a signature as facts of a trace: compressed by zstd, encoded in base64, divided into lines. */
#include "trace/store/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base64.h"
#include "trace/store/writer_private.h"

static char *pack(struct mpg_trace_writer *w, const void *text, size_t bytes,
                  struct mpg_error *err)
{
    const size_t room = ZSTD_compressBound(bytes);
    uint8_t *frame = malloc(room);
    char *packed = NULL;
    size_t size = frame ? ZSTD_compressCCtx(w->zstd, frame, room, text, bytes, w->level) : 0;
    if (frame && ZSTD_isError(size))
        mpg_error_set(err, "zstd: %s", ZSTD_getErrorName(size));
    else if (!frame || !(packed = mpg_base64_encode(frame, size)))
        mpg_error_set(err, "out of memory");
    free(frame);
    return packed;
}

static int write_head(struct mpg_trace_writer *w, const char *name, const void *text, size_t bytes,
                      struct mpg_error *err)
{
    char head[512];
    const char *slash = strrchr(name, '/');
    snprintf(head, sizeof head, "%08lx %zu %s", (unsigned long)crc32_z(0, text, bytes), bytes,
             slash ? slash + 1 : name);
    for (char *c = head; *c; c++)
        if (*c == '\n')
            *c = '?';
    return mpg_trace_write_fact(w, "signature", head, err);
}

int mpg_trace_write_signature(struct mpg_trace_writer *w, const char *name, const void *text,
                              size_t bytes, struct mpg_error *err)
{
    char part[MPG_STORED_PART + 1];
    if (bytes > MPG_STORED_MAX_BYTES)
        return mpg_error_set(err, "%zu bytes are more than a signature has", bytes);
    char *packed = pack(w, text, bytes, err);
    int status = packed ? write_head(w, name, text, bytes, err) : -1;
    const size_t length = packed ? strlen(packed) : 0;
    for (size_t done = 0; status == 0 && done < length; done += strlen(part)) {
        snprintf(part, sizeof part, "%s", packed + done);
        status = mpg_trace_write_fact(w, "signature_part", part, err);
    }
    free(packed);
    return status;
}
