/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signature of the machine that a trace was recorded on: given, stored in the trace, or
 * the target's, where the trace was recorded on the target's machine. */
#ifndef MPG_SOURCE_H
#define MPG_SOURCE_H

#include <stdbool.h>

#include "common/error.h"
#include "signature/signature.h"
#include "trace/reader.h"

enum mpg_source_origin {
    MPG_SOURCE_UNKNOWN, /* there is none to be found */
    MPG_SOURCE_REFUSED, /* --source=none */
    MPG_SOURCE_GIVEN,   /* --source */
    MPG_SOURCE_STORED,  /* mpgtrace record --signature */
    MPG_SOURCE_TARGET   /* the trace's machine is the target's */
};

struct mpg_source {
    enum mpg_source_origin origin;
    const struct mpg_signature *signature; /* NULL: UNKNOWN, REFUSED */
    struct mpg_signature *own;             /* what mpg_source_clear() frees; or NULL */
    char why[512];                         /* STORED: which; TARGET: what is the same; UNKNOWN:
                                              why it is none of these, or "" */
};

/* The source of TRACE for TARGET, which may be NULL (no differences are taken then, and the
 * trace's own source is not looked for). GIVEN is what --source named, or NULL; REFUSED:
 * --source=none. TARGET and GIVEN outlive SOURCE, which mpg_source_clear() clears. Errors:
 * what the trace has stored is damaged, or no signature. */
int mpg_source_find(struct mpg_source *source, const struct mpg_trace *trace,
                    const struct mpg_signature *target, const struct mpg_signature *given,
                    bool refused, struct mpg_error *err);
void mpg_source_clear(struct mpg_source *source);

/* Whether every rank of TRACE ran on a machine that SIG was measured on: its host, or one with
 * its processor; its kernel; with its MPI library and settings, where SIG has measured with any.
 * WHY, of SIZE bytes: what is the same, or what first is not. */
bool mpg_source_is_machine(const struct mpg_trace *trace, const struct mpg_signature *sig,
                           char *why, size_t size);

#endif
