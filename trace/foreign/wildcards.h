/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds sources and tags of receives from any source or with any tag, if not in the trace. A wildcard receive takes, in the
 * order of posting, the earliest send that fits and is not needed for receives with named source and tag. For readers of
 * other tools' traces. Memory: some 100 bytes for each added send and receive. */
#ifndef MPG_FOREIGN_WILDCARDS_H
#define MPG_FOREIGN_WILDCARDS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct mpg_wildcards; /* sends and receives of a trace; not thread-safe */

struct mpg_wildcards *mpg_wildcards_new(void); /* NULL: out of memory */
void mpg_wildcards_free(struct mpg_wildcards *w); /* NULL is allowed */

/* Adds a send from rank FROM to rank TO of COMM at AT_NS, by a clock common to all ranks. Sends of a rank come in the
 * order of the rank's calls. Returns 0, or -1 with ERR: out of memory. */
int mpg_wildcards_send(struct mpg_wildcards *w, int32_t comm, int32_t from, int32_t to, int32_t tag, int64_t at_ns,
                       struct mpg_error *err);
/* Adds a receive posted by rank TO; FROM, TAG: -1 for any. Receives of a rank come in the order of the rank's calls. The
 * K-th added receive, from 0, has number K. Returns 0, or -1 with ERR: out of memory. */
int mpg_wildcards_receive(struct mpg_wildcards *w, int32_t comm, int32_t from, int32_t to, int32_t tag, struct mpg_error *err);

/* Finds the send for each receive. Returns 0, or -1 with ERR: out of memory. */
int mpg_wildcards_resolve(struct mpg_wildcards *w, struct mpg_error *err);
/* To be called after mpg_wildcards_resolve(): stores source and tag of receive NUMBER (from 0). Returns 0, or -1 if no send
 * fits. */
int mpg_wildcards_get(const struct mpg_wildcards *w, size_t number, int32_t *from, int32_t *tag);

#endif
