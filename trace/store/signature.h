/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A signature within a trace, as facts: that of the machine on which it was recorded. Facts,
 * so that every reader of the format gets past it, files can be put together as ever, and the
 * text form has it. trace/reader.h has the reader's side. */
#ifndef MPG_STORE_SIGNATURE_H
#define MPG_STORE_SIGNATURE_H

#include "trace/store/writer.h"

enum {
    MPG_STORED_MAX_BYTES = 1 << 28, /* of the file */
    MPG_STORED_MAX_RATIO = 1024,    /* of its bytes to those that are stored */
    MPG_STORED_PART = 1024          /* characters of a fact */
};

/* Writes the BYTES bytes TEXT, the file NAME (whose folders are left out), as facts: "signature
 * CRC BYTES NAME", and what zstd makes of them in base64, in parts. Errors: more than
 * MPG_STORED_MAX_BYTES, out of memory. */
int mpg_trace_write_signature(struct mpg_trace_writer *w, const char *name, const void *text,
                              size_t bytes, struct mpg_error *err);

#endif
