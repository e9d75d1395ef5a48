/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of the source machine that the traced run shows (docs/MODEL.md, section 10). */
#ifndef MPG_OBSERVED_H
#define MPG_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

struct mpg_observed {
    int64_t limit_bytes;           /* the eager limit; INT64_MAX: the trace shows no limit */
    struct mpg_weak_progress weak; /* sends, by size, that show weak progress; mpg_no_weak_progress: the trace shows none */
};

/* Returns the properties that TRACE shows, in one pass. Returns no properties if the ranks' clocks cannot be compared, or if
 * messages cannot be matched (later passes report this error). TABLE: algorithms of expanded collectives, or NULL. LENIENT as in
 * struct mpg_graph_options. */
struct mpg_observed mpg_observed_find(struct mpg_trace *trace, const struct mpg_collective_table *table, bool lenient);

#endif
