/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What times that are compared may differ by (docs/MODEL.md, Decisions). */
#ifndef MPG_ROUNDING_H
#define MPG_ROUNDING_H

/* Differences of times that are no more than rounding. */
#define MPG_ROUNDING_NS 1e-3
/* The trace's clock ticks: what had not happened at some time happened a tick later at the earliest. */
#define MPG_TICK_NS 1.0

#endif
