/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callsites of the calls that are recorded. */
#ifndef MPG_SITES_H
#define MPG_SITES_H

#include "trace/pmpi/tracer.h"

/* As RANK's $MPGTRACE_CALLSITES says: frames of each call's stack, 0 for none, by default 8. */
void sites_start(int rank);

/* The site of the call that S is in, or MPG_NO_SITE: its caller alone where it involves nobody, but in Python
 * programs. Between lock and unlock. */
int32_t sites_capture(const struct tracer_scope *s);

/* Defines SITE in this thread's stream if it is new there; 1 if it was, 0 if not, -1 in an error. Between lock and unlock. */
int sites_define(int32_t site, struct mpg_error *err);

#endif
