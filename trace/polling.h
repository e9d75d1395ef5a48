/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that wait by repeating a test or a probe until it succeeds. */
#ifndef MPG_POLLING_H
#define MPG_POLLING_H

#include <stdbool.h>

#include "trace/event.h"

/* An interval up to this length between two equal calls, of which the first found nothing, is waiting (docs/MODEL.md, 5). */
enum { MPG_POLLING_NS = 10000 };

/* Returns whether E, a test or probe, asked for an operation that had not completed. */
bool mpg_event_found_nothing(const struct mpg_event *e);

#endif
