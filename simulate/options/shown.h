/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of the source machine that the traced run shows (docs/MODEL.md, section 10). */
#ifndef MPG_SHOWN_H
#define MPG_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

/* INT64_MAX: the trace does not show it. */
struct mpg_shown {
    int64_t limit_bytes;       /* the eager limit */
    struct mpg_weak_progress weak;
};

/* Returns the properties that TRACE shows, found in one pass; none if its clocks cannot be compared or its messages cannot be
 * matched, which later passes report. TABLE: algorithms of expanded collectives, or NULL. LENIENT as in struct
 * mpg_graph_options. */
struct mpg_shown mpg_shown_find(struct mpg_trace *trace, const struct mpg_collective_table *table, bool lenient);

#endif
