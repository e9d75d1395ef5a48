/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells the tracer to mpgtrace record. */
#ifndef MPG_TRACER_FAMILY_H
#define MPG_TRACER_FAMILY_H

/* In a program that was linked with the tracer's archive. */
#define MPG_TRACER_SIGN "mpgkit: this program holds the tracer"

#endif
