/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of a host's cores are whose, where a launcher started several ftq: they
 * meet in shared memory, for ftq is no MPI program. */
#ifndef MPG_SHARE_H
#define MPG_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "bench/harness/launch.h"
#include "common/error.h"

struct mpg_meeting; /* what the ranks of one host share */

struct mpg_ftq_share {
    struct mpg_launch launch;
    struct mpg_meeting *meeting; /* NULL: this rank is alone on its host */
    atomic_bool spoke;           /* alone: this rank has said what went wrong */
    int *core, n;                /* those that any rank here may run on, ascending */
    int ranks;                   /* those here that have a core, after mpg_share_assign() */
};

/* Meets the other ranks of this host, before any of them pins itself, for up to
 * 30 s. The caller ends it with mpg_share_leave() in any case. Errors: the
 * launcher does not say which ranks are here; no shared memory; not all came;
 * out of memory. */
int mpg_share_meet(const struct mpg_launch *launch, struct mpg_ftq_share *share,
                   struct mpg_error *err);

/* Gives each of the N cores CORE to one rank that may run on it: to the one that
 * has fewest so far, among those to the one that may run on fewest cores, then to
 * the lowest. Ranks bound to cores of their own get those; ranks that share a
 * mask take turns. Keeps this rank's in CORE and returns how many, or -1. The
 * same on every rank, if CORE is. Errors: out of memory. */
int mpg_share_assign(struct mpg_ftq_share *share, int *core, int n, struct mpg_error *err);

/* CPU time of the other ranks of this host so far, ns; those that have ended do
 * not count. */
double mpg_share_others_ns(const struct mpg_ftq_share *share);

/* Set once any rank of this host has said what went wrong; valid until the end. */
const atomic_bool *mpg_share_spoke(const struct mpg_ftq_share *share);
/* Whether this rank is the first to ask, and so the one that says it. */
bool mpg_share_speak(struct mpg_ftq_share *share);

/* Waits until every rank of this host leaves, if WELL: until then their CPU time
 * can be told from that of others. Frees what SHARE holds. */
void mpg_share_leave(struct mpg_ftq_share *share, bool well);

#endif
