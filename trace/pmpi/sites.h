/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Call sites of recorded calls. */
#ifndef MPG_SITES_H
#define MPG_SITES_H

#include "trace/pmpi/tracer.h"

/* Reads the stack depth from RANK's $MPGTRACE_CALLSITES (default: 8 frames; 0: no call sites). */
void sites_start(int rank);

/* Returns the site of the call S, or MPG_NO_SITE. For local calls the site is the caller alone, except in Python
 * programs. Callers hold the lock. */
int32_t sites_capture(const struct tracer_scope *s);

/* Returns whether RETURN_ADDRESS alone determines the site of a local call, as far as known from earlier captures. Callers
 * hold the lock. */
bool sites_is_caller(const void *return_address);

/* Defines SITE in this thread's stream if the stream lacks the site. Returns 1 for a new definition, 0 for a known
 * site, -1 on errors. Callers hold the lock. */
int sites_define(int32_t site, struct mpg_error *err);

#endif
