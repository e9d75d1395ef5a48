/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The noise of a machine's cores, records of detours, quanta, or detours that are drawn, and which of them a rank meets from
 * where on (docs/MODEL.md, 3, and docs/NOISE.md). Immutable while a simulation runs. */
#ifndef MPG_MACHINE_H
#define MPG_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/noise/quanta.h"
#include "simulate/noise/renewal.h"
#include "simulate/noise/replay.h"
#include "simulate/noise/resampled.h"

/* Which ranks begin their replay at the same time. */
enum mpg_cosched { MPG_COSCHED_NONE, MPG_COSCHED_NODE, MPG_COSCHED_JOB, MPG_COSCHEDS };

/* What a machine's noise is taken from. */
enum mpg_noise_model {
    MPG_NOISE_ANY,     /* records where it has any, else quanta */
    MPG_NOISE_REPLAY,  /* records */
    MPG_NOISE_ECDF,    /* quanta */
    MPG_NOISE_RENEWAL, /* detours drawn from the records' gaps and durations */
    MPG_NOISE_FIT      /* from the families fitted to these */
};

struct mpg_seat {
    uint32_t core;  /* which record the rank replays */
    uint32_t first; /* the first one of those that began on the same clock */
    int32_t leader; /* whose draw it starts by: the lowest rank that does so */
};

struct mpg_machine {
    size_t cores; /* 0: it has none */
    bool ecdf;    /* of quanta, */
    bool drawn;   /* of drawn detours; else of records */
    struct mpg_quanta **quanta;
    struct mpg_replay **replay;
    struct mpg_resampled *resampled;
    struct mpg_renewal **renewal;
    double *offset_ns; /* of each record, on its host's clock */
    double *off_cpu;   /* of each record the part in which the thread was off its CPU, 0 .. 1; -1: it does not say */
    size_t hosts;
    size_t *first_core; /* of each host, and CORES */
    bool together;      /* the cores of each host were measured at the same time */
    enum mpg_cosched cosched;
    struct mpg_seat *seat; /* a rank; NULL: rank mod cores, each by its own draw */
};

/* Takes SIG's noise as MODEL says; it is none where SIG has none of that. SIG outlives M. Errors: a
 * core's noise leaves no time for work; detours are to be drawn and there are no records, or
 * not the distributions of them that are asked for. */
int mpg_machine_init(struct mpg_machine *m, const struct mpg_signature *sig,
                     enum mpg_noise_model model, struct mpg_error *err);
/* Seats RANKS ranks, HOST[r] being rank r's as a small number. COSCHED, or MPG_COSCHEDS for what
 * the records were made for: node where they are together, else none. */
int mpg_machine_seat(struct mpg_machine *m, int32_t ranks, const int32_t *host,
                     enum mpg_cosched cosched, struct mpg_error *err);
/* Whether A and B have the same records, of the same times, and the same quanta. */
bool mpg_machine_same(const struct mpg_signature *a, const struct mpg_signature *b);
struct mpg_seat mpg_machine_seat_of(const struct mpg_machine *m, int32_t rank);
/* The detours that RANK meets in REPLICA, of an M whose detours are drawn: by its leader's draws. */
struct mpg_renewal_of mpg_machine_renewal(const struct mpg_machine *m, uint64_t seed, int32_t rank,
                                          uint32_t replica);
/* Where in its record, of the parts PART or, if that is NULL, as it is, or in its first quantum, RANK starts in REPLICA,
 * ns: in no detour; 0: detours are drawn. */
double mpg_machine_start(const struct mpg_machine *m, const uint8_t *part, uint64_t seed, int32_t rank,
                         uint32_t replica);
void mpg_machine_clear(struct mpg_machine *m);

#endif
