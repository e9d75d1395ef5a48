/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a survey finds, and regions ask for. Private to graph/work/. */
#ifndef MPG_GRAPH_WORK_PRIVATE_H
#define MPG_GRAPH_WORK_PRIVATE_H

#include "common/map.h"
#include "graph/work/balance.h"
#include "graph/work/bound_hypotheses.h"

/* What passes find, and the survey counts. Which calls leave receives to requests of messages that are dropped, as bits of those
 * that drop them; which hypotheses drop parts of one collective. */
struct learned {
    bool learns; /* a pass is about to find them */
    struct mpg_map dropped; /* (number of the call, which part of it and rank) */
    struct mpg_map together; /* (bits of them, 0) */
    struct mpg_map begins;  /* (rank and thread, hypothesis that inserts messages): so many begins of its region */
    int (*observer)(void *context, const struct mpg_hypothesis_effect *effect, struct mpg_error *err); /* or NULL */
    void *context;
};

struct mpg_bound_hypotheses {
    const struct mpg_hypotheses *list;
    int32_t ranks;
    struct balance **balance; /* of each hypothesis; NULL: it balances nothing */
    double *work_ns;          /* of each: what it found to change, of computation */
    bool *entered;            /* its region was entered by who it is about, */
    bool *known;              /* or by anybody */
    uint64_t *named;          /* by string: those whose region it is, */
    size_t strings;           /* of so many */
    int32_t *site;            /* by callsite: how `mpgtrace print` numbers it, -1: not, */
    size_t sites, sites_met;
    uint64_t *placed;         /* by callsite: those whose place it is; NULL: none names one */
    uint64_t exchanges;       /* those that insert messages */
    bool *met;                /* of each: a message or a collective that it is about has been met; */
    struct learned *learned;
};

/* Those whose region STRING is. */
static inline uint64_t bound_named(const struct mpg_bound_hypotheses *x, int32_t string)
{
    return string >= 0 && (size_t)string < x->strings ? x->named[string] : 0;
}

/* Puts H in front of ERR: -1. */
int mpg_bound_refuse(const struct mpg_hypothesis *h, struct mpg_error *err);
/* Fills X, whose list and arrays of hypotheses are there, from TRACE. Errors: the trace's, out of memory. */
int mpg_bound_survey(struct mpg_bound_hypotheses *x, struct mpg_trace *trace, struct mpg_error *err);

/* sites.c: afterwards, which callsites are those that hypotheses name; whether hypothesis I, which names some, has any. */
int mpg_bound_find_sites(struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, struct mpg_error *err);
bool mpg_bound_has_site(const struct mpg_bound_hypotheses *x, size_t i);

/* inserted.c: THREAD of RANK, after MPI_Init, begins the region of hypothesis I, which inserts messages (-1: out of memory); once
 * all begins are counted, whether I can be. Errors: nobody sends, a rank that is not there, ranks that begin it less often. */
int mpg_bound_count_begin(struct mpg_bound_hypotheses *x, size_t i, int32_t rank, uint32_t thread);
int mpg_bound_check_exchange(const struct mpg_bound_hypotheses *x, const struct mpg_trace *trace, size_t i,
                             struct mpg_error *err);

#endif
