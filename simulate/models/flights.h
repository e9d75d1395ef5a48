/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages on their way: lambda and tau of docs/MODEL.md, section 3, from the command line
 * or as the difference of two signatures' one-way times at the message's size. */
#ifndef MPG_FLIGHTS_H
#define MPG_FLIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "signature/signature.h"
#include "simulate/draws/draws.h"
#include "simulate/models/sizes.h"

struct mpg_perturbation;

/* Rounds of the collectives that one call starts have indices so far from each other. */
#define MPG_INDEX_OF_SEVERAL 0x9e3779b1u

/* How flights follow from the signatures. */
enum mpg_flight_rule {
    MPG_FLIGHT_NONE,               /* no signature says anything of messages */
    MPG_FLIGHT_DIFFERENCE,         /* the target's one-way time less the source's */
    MPG_FLIGHT_TARGET,             /* the target's, less its least */
    MPG_FLIGHT_TRANSFER_DIFFERENCE, /* one has no latencies: transfers, less the empty one's */
    MPG_FLIGHT_TRANSFER_TARGET
};

/* A message, as its draws see it. */
struct mpg_sent_message {
    int32_t rank;     /* its origin: rank and number of the call that started it, and which of */
    uint64_t call;    /* the messages of that call it is */
    uint32_t index;
    bool in_row;      /* one of those that a thread sends to a rank after each other: */
    int32_t to;       /* that rank (-1: no one in particular), */
    uint32_t thread;  /* the sender's thread, */
    uint64_t nth;     /* and how many went there before it */
    double bytes;
    bool further;     /* its receive completes with another one of the same rank, before it */
};

/* The address of M's draw for PURPOSE. */
static inline struct mpg_address mpg_sent_message_address(uint64_t seed, const struct mpg_sent_message *m,
                                                          enum mpg_purpose purpose)
{
    return (struct mpg_address){.seed = seed, .call = m->call, .rank = m->rank, .index = m->index, .purpose = purpose};
}

/* Adds WHAT takes in the lanes that are ASKED for, at most MPG_LANES_AT_ONCE. */
typedef void mpg_add_times(const void *what, const struct mpg_quantile_requests *asked, double *value_ns);
/* Adds WHAT takes to each of N lanes, replica FIRST the first, of each lane's launch: at the draw at ADDRESS. */
void mpg_add_drawn(const struct mpg_perturbation *p, const struct mpg_address *address, uint32_t first, uint32_t n,
                   mpg_add_times *add, const void *what, double *value_ns);
/* The same at u of M, by its row if it has one. */
void mpg_add_of_message(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                        mpg_add_times *add, const void *what, double *value_ns);

enum mpg_flight_part { MPG_FLIGHT_LAMBDA = 1, MPG_FLIGHT_TAU = 2, MPG_FLIGHT_WHOLE = 3 };

/* The rule for P's paths. */
enum mpg_flight_rule mpg_flight_rule(const struct mpg_perturbation *p);
/* Whether the target's own times are known, so that one can say how long a message takes
 * there: X_T. */
bool mpg_flight_target_known(const struct mpg_perturbation *p);

/* The one-way time of BYTES on PATH, which has latencies, at probability U of all launches:
 * X(d; u), ns. */
double mpg_flight_of(const struct mpg_network_path *path, double bytes, double u);

/* The median one-way time of BYTES on the target, of all launches; 0 where it is not known. */
double mpg_flight_median(const struct mpg_perturbation *p, double bytes);

/* Of what kind the draw of the signatures' u is, LATENCY or, where lambda is given, whose draw is
 * not that of what the signatures say, the bytes'. */
enum mpg_purpose mpg_flight_purpose(const struct mpg_perturbation *p, enum mpg_purpose latency);
/* u of M, by its row if it has one, in each of N <= MPG_LANES_AT_ONCE lanes. */
void mpg_flight_find_u(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                       uint32_t first, uint32_t n, double *u);

/* The rows that messages of BYTES are in that are in a row; NULL: none. */
const struct mpg_rows *mpg_flight_rows(const struct mpg_perturbation *p, double bytes);
/* Which of its sender's rows to its receiver a message is in, and its element of a row that begins at 0 in the first block. */
struct mpg_row_place {
    uint64_t row;
    const double *element;
};
/* Of M in ROWS: threads of a rank send rows of their own, so many of which may be of one. */
#define MPG_ROWS_OF_A_THREAD (UINT64_C(1) << 40)
static inline struct mpg_row_place mpg_flight_row_place(const struct mpg_rows *rows, const struct mpg_sent_message *m)
{
    const uint64_t row = m->nth / rows->length;
    return (struct mpg_row_place){row + m->thread * MPG_ROWS_OF_A_THREAD, rows->u + (m->nth - row * rows->length)};
}
/* What each of their u stands for. */
static inline double mpg_flight_row_share(const struct mpg_rows *rows)
{
    return 1 / ((double)rows->blocks * (double)rows->length);
}
/* Where in ROWS' u M's row, its sender's ROW-th to its receiver, begins in each of N lanes, into BEGIN: anywhere in a block. */
void mpg_flight_draw_rows(const struct mpg_perturbation *p, const struct mpg_rows *rows, uint64_t row,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n, uint32_t *begin);
/* The address of the draw that u of M is, or, where it is in a row, y. */
struct mpg_address mpg_flight_address(const struct mpg_perturbation *p, const struct mpg_sent_message *m);
/* X_T(0; u) by the model of latencies, X_T(d; u) and X_T(0; u) by that of bytes; of transfers where there are no latencies. */
struct mpg_target_one_ways {
    struct mpg_one_way lambda, whole, empty;
};
/* Of BYTES; false: P's target says nothing of messages. */
bool mpg_flight_target_one_ways(const struct mpg_perturbation *p, double bytes, struct mpg_target_one_ways *ways);
/* Where a message of BYTES takes the same longer whoever sends it in whatever replica: of how many terms that is the sum, 1 to
 * MOST, into TERM_NS; else 0. */
uint32_t mpg_flight_terms(const struct mpg_perturbation *p, double bytes, uint32_t most, double *term_ns);
/* Whether all that a message of BYTES takes longer is a difference of measured times: TARGET's at its u less
 * SOURCE's there, or, where LEAST, less TARGET's at 0. */
bool mpg_flight_interpolations(const struct mpg_perturbation *p, double bytes, struct mpg_interpolation *target,
                      struct mpg_interpolation *source, bool *least);

/* The functions below add to each of N lanes; lane w is replica FIRST + w. */

/* A PART of what message M takes longer than traced. */
void mpg_perturb_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        enum mpg_flight_part part, uint32_t first, uint32_t n, double *value_ns);
/* lambda2, of the acknowledgement of M. */
void mpg_perturb_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                     uint32_t first, uint32_t n, double *value_ns);
/* How long a PART of M, and its acknowledgement, take on the target: X_T(0) the one part,
 * X_T(d) - X_T(0) the other, or where these are not known FLOOR_NS, what they took at least on
 * the traced machine, and what they take longer. */
void mpg_add_target_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                           enum mpg_flight_part part, double floor_ns, uint32_t first, uint32_t n,
                           double *value_ns);
void mpg_add_target_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        double floor_ns, uint32_t first, uint32_t n, double *value_ns);
/* The rounds of a collective, the INDEX-th that CALL of RANK starts: ROUNDS x (flight of
 * BYTES / ROUNDS + kappa), or the kappas alone unless they FLY. */
void mpg_perturb_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                        uint32_t index, uint32_t rounds, double bytes, bool fly,
                        uint32_t first, uint32_t n, double *value_ns);

#endif
