/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that wait by repeating a test or a probe until success. */
#ifndef MPG_POLLING_H
#define MPG_POLLING_H

#include <stdbool.h>

#include "trace/event.h"

/* An interval up to MPG_POLLING_NS between two equal calls counts as waiting if the first call found nothing (docs/MODEL.md,
 * 5). */
enum { MPG_POLLING_NS = 10000 };

/* Returns whether E, a test or probe, found no completed operation or message. */
bool mpg_event_found_nothing(const struct mpg_event *e);

#endif
