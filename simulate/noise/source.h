/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's noise as a source of lost time: of which kind it is, and which core's a rank meets from where on
 * (docs/MODEL.md, 3, and docs/NOISE.md). mpg_noise_use() chooses the kind; whoever simulates asks for times alone.
 * Immutable while a simulation runs. */
#ifndef MPG_NOISE_SOURCE_H
#define MPG_NOISE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "signature/signature.h"
#include "simulate/draws/lane_code.h"
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

/* What a core has of the kind at hand. */
struct mpg_noise_of_core {
    struct mpg_quanta *quanta;
    struct mpg_renewal *renewal;
    struct mpg_replay *replay;
    struct mpg_resampled resampled; /* of replay */
    double offset_ns; /* of its record, on its host's clock */
    double off_cpu;   /* of its record the part in which the thread was off its CPU, 0 .. 1; -1: it does not say */
};

struct mpg_seat {
    uint32_t core;  /* whose noise the rank meets */
    uint32_t first; /* the first one of those that began on the same clock */
    int32_t leader; /* whose draw it starts by: the lowest rank that does so */
};

struct mpg_noise_source {
    const struct mpg_noise_kind *kind; /* NULL: there is no source */
    size_t cores;                      /* 0: it has no noise */
    struct mpg_noise_of_core *core;
    size_t hosts;
    size_t *first_core; /* of each host, and CORES */
    bool together;      /* the cores of each host were measured at the same time */
    enum mpg_cosched cosched;
    struct mpg_seat *seat; /* a rank; NULL: rank mod cores, each by its own draw */
};

/* Where lanes looked last, those from AT on of LANES: mpg_noise_cursor_bytes() a lane in STATE, all 0 at first. What is
 * found does not depend on it. STATE NULL: they remember nothing. */
struct mpg_noise_cursor {
    void *state;
    uint32_t lanes, at;
};

/* Work of a rank in some lanes. */
struct mpg_begun_work {
    int32_t rank;
    uint64_t seed;
    const struct mpg_bootstrap_blocks *parts;    /* of the records, in each measurement; NULL: they are whole */
    struct mpg_noise_cursor cursor;
    uint32_t n, first;                /* so many lanes; the cursor's first one is replica FIRST */
    const uint32_t *lane;             /* different ones, counted from the cursor's first one on; of each */
    const double *since_ns, *work_ns; /* when its work begins, after MPI_Init, and how much it is */
    double covered_ns;                /* a detour that is going on then, and began before, no more than so long, is none */
    double *passed_ns;                /* from the cursor's first lane on: when, after MPI_Init, the last such one is over; 0:
                                         there was none yet. NULL: all detours count */
};

/* A kind of noise: replay | quanta | renewal and fit (simulate/noise/kinds.c). Cores and parts are as elsewhere here. */
struct mpg_noise_kind {
    const char *model;   /* as results say it; NULL: they need not, it is what a signature has */
    size_t cursor_bytes; /* of a lane; 0: it remembers nothing */
    bool is_resampled;   /* another measurement of the machine would have other parts of the records */
    bool has_detours;    /* work meets them one by one: a call's messages may cover one */
    bool is_drawn;       /* there is no record of it: a source's noise is not taken out by it */
    /* Fills CORE from FROM, one of CORES. */
    int (*add)(struct mpg_noise_of_core *core, const struct mpg_noise_core *from, size_t cores, struct mpg_error *err);
    /* Where a rank in SEAT starts by the draw U, ns: in no detour. */
    double (*start)(const struct mpg_noise_source *s, struct mpg_seat seat, const uint8_t *part, double u);
    /* How long each of WORK's lanes takes, ns; exactly the work where nothing interrupts it. */
    void (*time_for)(const struct mpg_noise_source *s, const struct mpg_begun_work *work, double *time_ns);
    /* Work done in INTERVAL_NS from SINCE_NS after MPI_Init on; NULL: its losses are taken out of classes of intervals
     * (simulate/evaluate/classes.h). */
    double (*work_in)(const struct mpg_noise_source *s, uint64_t seed, int32_t rank, uint32_t replica, double since_ns,
                      double interval_ns);
    /* Lengthens those lanes in which nothing interrupts, as lane_code's pass(), and asks for what the next time_for()
     * reads; NULL: no lane knows. */
    uint32_t (*pass)(struct mpg_noise_cursor cursor, double since_ns, double length_ns, const struct mpg_lane_work *work,
                     uint32_t n, double *delay_ns, uint32_t *lane);
    void (*fetch)(const struct mpg_noise_of_core *core, struct mpg_noise_cursor cursor, uint32_t n);
};

extern const struct mpg_noise_kind mpg_noise_replay, mpg_noise_quanta, mpg_noise_renewal, mpg_noise_fit;

/* Takes SIG's noise as MODEL says; it is none where SIG has none of that. SIG outlives S. Errors: a
 * core's noise leaves no time for work; detours are to be drawn and there are no records, or
 * not the distributions of them that are asked for. */
int mpg_noise_use(struct mpg_noise_source *s, const struct mpg_signature *sig, enum mpg_noise_model model,
                  struct mpg_error *err);
/* Seats RANKS ranks, HOST[r] being rank r's as a small number. COSCHED, or MPG_COSCHEDS for what
 * the records were made for: node where they are together, else none. */
int mpg_noise_seat(struct mpg_noise_source *s, int32_t ranks, const int32_t *host, enum mpg_cosched cosched,
                   struct mpg_error *err);
struct mpg_seat mpg_noise_seat_of(const struct mpg_noise_source *s, int32_t rank);
/* Whether A and B have the same records, of the same times, and the same quanta. */
bool mpg_noise_same(const struct mpg_signature *a, const struct mpg_signature *b);
/* Where RANK starts in REPLICA, ns: in its record, of the parts PART or, if that is NULL, as it is; in its first quantum; 0
 * where detours are drawn. */
double mpg_noise_start(const struct mpg_noise_source *s, const uint8_t *part, uint64_t seed, int32_t rank,
                       uint32_t replica);
/* The part of its time that a core with a record loses: that of the parts PART, or the record itself (NULL). */
static inline double mpg_noise_lost(const struct mpg_noise_source *s, size_t core, const uint8_t *part)
{
    return mpg_resampled_lost(&s->core[core].resampled, part);
}

/* Says how S's noise comes about, MANY being a phrase about its hosts and LOST the part of time that is lost, and who meets
 * it together, into TEXT. */
void mpg_noise_say(const struct mpg_noise_source *s, const char *many, const char *lost, char *text, size_t size);
void mpg_noise_clear(struct mpg_noise_source *s);

#endif
