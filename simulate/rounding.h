/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tolerances for comparing times (docs/MODEL.md, Decisions). */
#ifndef MPG_ROUNDING_H
#define MPG_ROUNDING_H

/* Differences of times up to MPG_ROUNDING_NS, ns, are rounding errors. */
#define MPG_ROUNDING_NS 1e-3
/* Clock resolution of traces, ns: an event that had not happened at a recorded time happened at least one tick later. */
#define MPG_TICK_NS 1.0

#endif
