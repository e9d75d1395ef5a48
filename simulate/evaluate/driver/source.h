/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source: the signature of the machine on which a trace was recorded. The source is given by an option, stored in the
 * trace, or equal to the target if the trace was recorded on the target machine. */
#ifndef MPG_SOURCE_H
#define MPG_SOURCE_H

#include <stdbool.h>

#include "common/error.h"
#include "signature/signature.h"
#include "trace/reader.h"

enum mpg_source_origin {
    MPG_SOURCE_UNKNOWN, /* no source was found */
    MPG_SOURCE_REFUSED, /* --source=none: the user wants no source */
    MPG_SOURCE_GIVEN,   /* given by --source */
    MPG_SOURCE_STORED,  /* stored in the trace by mpgtrace record --signature */
    MPG_SOURCE_TARGET   /* the trace was recorded on the target machine */
};

struct mpg_source {
    enum mpg_source_origin origin;
    const struct mpg_signature *signature; /* NULL: UNKNOWN, REFUSED */
    struct mpg_signature *own;             /* `signature`, if this struct owns the signature; else NULL */
    char why[512]; /* STORED: name and checksum of the stored signature; TARGET: the facts that agree; UNKNOWN: the reason, or
                    * "" */
};

/* Finds the source of TRACE. TARGET may be NULL: the source is then GIVEN or unknown. GIVEN is the signature of --source, or
 * NULL; REFUSED: --source=none. TARGET and GIVEN outlive SOURCE, which mpg_source_clear() clears. Error: the stored signature
 * is damaged. */
int mpg_source_find(struct mpg_source *source, const struct mpg_trace *trace,
                    const struct mpg_signature *target, const struct mpg_signature *given,
                    bool refused, struct mpg_error *err);
void mpg_source_clear(struct mpg_source *source);

/* Returns true if every rank of TRACE ran on a machine on which SIG was measured: equal host, or equal processor; equal
 * kernel; equal MPI library and settings, if SIG was measured with MPI. WHY, of SIZE bytes, receives the facts that agree, or
 * the first difference. */
bool mpg_source_is_machine(const struct mpg_trace *trace, const struct mpg_signature *sig,
                           char *why, size_t size);

#endif
