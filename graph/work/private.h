/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the survey, for the files of graph/work/. Private to graph/work/. */
#ifndef MPG_GRAPH_WORK_PRIVATE_H
#define MPG_GRAPH_WORK_PRIVATE_H

#include "common/map.h"
#include "graph/work/balance.h"
#include "graph/work/bound_hypotheses.h"

/* Results of learning passes and of the survey: dropped parts of calls, such as the receives of dropped messages, with the
 * dropping hypotheses as bits; sets of hypotheses that drop parts of one collective. */
struct learned {
    bool learns; /* a learning pass is running */
    struct mpg_map dropped; /* (call number, part and rank) -> hypotheses, as bits, that drop the part */
    struct mpg_map together; /* set of keys (hypotheses as bits, 0): hypotheses that only together drop a whole collective */
    struct mpg_map begins;  /* (rank and thread, inserting hypothesis) -> number of begins of the hypothesis's region */
    /* called for each effect; NULL: no observer */
    int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err);
    void *context;
};

struct mpg_bound_hypotheses {
    const struct mpg_hypotheses *list;
    int32_t ranks;
    struct balance **balance; /* index: hypothesis; NULL: the hypothesis does not balance */
    double *work_ns;          /* index: hypothesis; computation in the hypothesis's region, ns */
    bool *entered;            /* index: hypothesis; a selected rank enters the hypothesis's region */
    bool *known;              /* index: hypothesis; any rank enters the hypothesis's region */
    uint64_t *named;          /* index: string; the hypotheses about the region with this name, as bits */
    size_t strings;           /* length of `named` */
    int32_t *site;            /* index: callsite; number of the callsite in `mpgtrace print`, -1: none */
    size_t sites, sites_met;
    uint64_t *placed; /* index: callsite; the hypotheses that name this callsite, as bits; NULL: no hypothesis names a callsite */
    uint64_t exchanges;       /* hypotheses that insert messages, as bits */
    bool *met;                /* index: hypothesis; the trace has a message or collective selected by the hypothesis */
    struct learned *learned;
};

/* Returns the hypotheses about the region with the name STRING, as bits. */
static inline uint64_t bound_named(const struct mpg_bound_hypotheses *x, int32_t string)
{
    return string >= 0 && (size_t)string < x->strings ? x->named[string] : 0;
}

/* Prepends the name of H to ERR's text. Returns -1. */
int mpg_bound_refuse(const struct mpg_hypothesis *h, struct mpg_error *err);
/* Fills X, whose list and arrays are allocated, from a reading of TRACE. Returns 0, or -1 with ERR: a trace error, or out of
 * memory. */
int mpg_bound_survey(struct mpg_bound_hypotheses *x, struct mpg_trace *trace, struct mpg_error *err);

/* sites.c: mpg_bound_find_sites() finds the callsites named by hypotheses, after the survey; mpg_bound_has_site()
 * returns whether the trace has a callsite with the name in hypothesis I. */
int mpg_bound_find_sites(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, struct mpg_error *err);
bool mpg_bound_has_site(const struct mpg_bound_hypotheses *x, size_t i);

/* inserted.c: mpg_bound_count_begin() counts a begin of the region of hypothesis I, which inserts messages, by THREAD of RANK
 * after MPI_Init; -1: out of memory. mpg_bound_check_exchange() checks hypothesis I when all begins are counted; errors: no
 * sender, an invalid rank, a sender and receiver that do not begin the region equally often. */
int mpg_bound_count_begin(struct mpg_bound_hypotheses *x, size_t i, int32_t rank, uint32_t thread);
int mpg_bound_check_exchange(const struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i,
                             struct mpg_error *err);

#endif
