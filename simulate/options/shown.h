/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the traced run shows of what nobody says (docs/MODEL.md, section 10). */
#ifndef MPG_SHOWN_H
#define MPG_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

/* All INT64_MAX: nothing is shown. */
struct mpg_shown {
    int64_t limit_bytes;       /* the eager limit */
    struct mpg_weak_progress weak;
};

/* What TRACE shows, in a pass; nothing if its clocks do not compare, or it cannot be placed, of which the passes that
 * need it tell. TABLE (NULL: none): the algorithms of collectives that are looked at; LENIENT as in graphs. */
struct mpg_shown mpg_shown_find(struct mpg_trace *trace, const struct mpg_collective_table *table, bool lenient);

#endif
