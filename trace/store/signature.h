/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signature within a trace, stored as facts: the machine on which the trace was recorded. All readers of the format
 * skip unknown facts, files can be concatenated as usual, and the text form includes facts. trace/reader.h has the
 * reader. */
#ifndef MPG_STORE_SIGNATURE_H
#define MPG_STORE_SIGNATURE_H

#include "trace/store/writer.h"

enum {
    MPG_STORED_MAX_BYTES = 1 << 28, /* maximum number of bytes of the signature file */
    MPG_STORED_MAX_RATIO = 1024,    /* largest ratio of uncompressed to stored bytes */
    MPG_STORED_PART = 1024          /* characters of a fact */
};

/* Writes BYTES bytes of TEXT, the file NAME (without folders), as facts: "signature CRC BYTES NAME", then the
 * zstd-compressed text in base64, in parts. Returns 0, or -1 with ERR: more than MPG_STORED_MAX_BYTES, out of memory. */
int mpg_trace_write_signature(struct mpg_trace_writer *w, const char *name, const void *text,
                              size_t bytes, struct mpg_error *err);

#endif
