/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the traced run shows of what nobody says (docs/MODEL.md, section 10). Private to simulate/options/. */
#ifndef MPG_SHOWN_H
#define MPG_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/reader.h"

/* The eager limit that TRACE shows, in a pass; INT64_MAX: none, its clocks do not compare, or it cannot be placed, of
 * which the passes that need it tell. LENIENT as in graphs. */
int64_t mpg_shown_limit(struct mpg_trace *trace, bool lenient);

#endif
