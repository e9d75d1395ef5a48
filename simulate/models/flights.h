/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Message times: lambda (latency) and tau (time of the bytes) of docs/MODEL.md, section 3, from the command line or as the
 * difference between the one-way times of two signatures. */
#ifndef MPG_FLIGHTS_H
#define MPG_FLIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "signature/signature.h"
#include "simulate/draws/draws.h"
#include "simulate/models/sizes.h"

struct mpg_perturbation;

/* A call can start several collectives. For separate draws, round R of collective I has the draw index R + I times this
 * number. */
#define MPG_INDEX_OF_SEVERAL 0x9e3779b1u

/* How the extra time of a message is derived from the signatures. */
enum mpg_flight_rule {
    MPG_FLIGHT_NONE,               /* no signature has message times */
    MPG_FLIGHT_DIFFERENCE,         /* target's one-way time less source's */
    MPG_FLIGHT_TARGET,             /* target's one-way time less the minimum of the target's time: no source */
    MPG_FLIGHT_TRANSFER_DIFFERENCE, /* as MPG_FLIGHT_DIFFERENCE, for transfer times minus the time of an empty message */
    MPG_FLIGHT_TRANSFER_TARGET      /* as MPG_FLIGHT_TARGET, for transfer times minus the time of an empty message */
};

/* A message, with the address of random draws: the call that starts the message. */
struct mpg_sent_message {
    int32_t rank;     /* rank of the starting call */
    uint64_t call;    /* number of the starting call */
    uint32_t index;   /* index among the call's messages */
    /* successive messages of a thread to a rank have correlated times; only then the next three fields are used */
    bool in_row;
    int32_t to;       /* receiver; -1: no single receiver */
    uint32_t thread;  /* sending thread */
    uint64_t nth;     /* number of earlier messages of the thread to this receiver */
    double bytes;
    bool further;     /* completes in one call (MPI_Waitall) with an earlier message of this sender */
};

/* Returns the address of M's draw for PURPOSE. */
static inline struct mpg_address mpg_sent_message_address(uint64_t seed, const struct mpg_sent_message *m,
                                                          enum mpg_purpose purpose)
{
    return (struct mpg_address){.seed = seed, .call = m->call, .rank = m->rank, .index = m->index, .purpose = purpose};
}

/* A function that adds the time of WHAT (the caller's argument) at each request, at most MPG_LANES_AT_ONCE, to VALUE_NS. */
typedef void mpg_add_times(const void *what, const struct mpg_quantile_requests *wanted, double *value_ns);
/* Calls ADD for the N replicas from FIRST on, with each replica's benchmark launch and the draw at ADDRESS. */
void mpg_add_drawn(const struct mpg_perturbation *p, const struct mpg_address *address, uint32_t first, uint32_t n,
                   mpg_add_times *add, const void *what, double *value_ns);
/* As mpg_add_drawn(), with the probability u of message M (mpg_flight_find_u()) in place of the draw at an address. */
void mpg_add_of_message(const struct mpg_perturbation *p, const struct mpg_sent_message *m, uint32_t first, uint32_t n,
                        mpg_add_times *add, const void *what, double *value_ns);

enum mpg_flight_part { MPG_FLIGHT_LAMBDA = 1, MPG_FLIGHT_TAU = 2, MPG_FLIGHT_WHOLE = 3 };

/* Returns the rule that applies to P's paths. */
enum mpg_flight_rule mpg_flight_rule(const struct mpg_perturbation *p);
/* Returns true if P's target has one-way times X_T. */
bool mpg_flight_target_known(const struct mpg_perturbation *p);

/* Returns X(d; u), ns: the one-way time of BYTES on PATH, which has latencies, at probability U over pooled launches. */
double mpg_flight_of(const struct mpg_network_path *path, double bytes, double u);

/* Returns the median one-way time of BYTES on the target over pooled launches, ns; 0 if unknown. */
double mpg_flight_median(const struct mpg_perturbation *p, double bytes);

/* Returns the purpose of the draw of u, the probability of times from signatures: LATENCY. If the command line gives lambda,
 * LATENCY is the draw of lambda, and the purpose is MPG_DRAW_BYTE. */
enum mpg_purpose mpg_flight_purpose(const struct mpg_perturbation *p, enum mpg_purpose latency);
/* Writes the probability u of M for the N <= MPG_LANES_AT_ONCE replicas from FIRST on into U: from M's element of a row (see
 * below) or, if M is in no row, by an independent draw. */
void mpg_flight_find_u(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                       uint32_t first, uint32_t n, double *u);

/* --- rows: successive benchmark samples, drawn together to keep the correlation of successive messages (docs/MODEL.md, section
 * 3, Messages in a row) --- */

/* Returns the rows for messages of BYTES; NULL: the signature has no rows. */
const struct mpg_rows *mpg_flight_rows(const struct mpg_perturbation *p, double bytes);
/* A message's position in rows. */
struct mpg_row_place {
    uint64_t row;          /* index of the row, among the rows of the sender to the receiver */
    const double *element; /* the message's element if the row began at element 0 of block 0 */
};
/* Rows of thread t are numbered from t times this number on. */
#define MPG_ROWS_OF_A_THREAD (UINT64_C(1) << 40)
static inline struct mpg_row_place mpg_flight_row_place(const struct mpg_rows *rows, const struct mpg_sent_message *m)
{
    const uint64_t row = m->nth / rows->length;
    return (struct mpg_row_place){row + m->thread * MPG_ROWS_OF_A_THREAD, rows->u + (m->nth - row * rows->length)};
}
/* Returns the width of the range of probabilities that an element of ROWS represents. */
static inline double mpg_flight_row_share(const struct mpg_rows *rows)
{
    return 1 / ((double)rows->blocks * (double)rows->length);
}
/* Draws for the N replicas from FIRST on the element of ROWS (any element of any block) at which M's row begins: row number ROW
 * from M's sender to M's receiver. Writes the index of the element in rows->u into BEGIN. */
void mpg_flight_draw_rows(const struct mpg_perturbation *p, const struct mpg_rows *rows, uint64_t row,
                          const struct mpg_sent_message *m, uint32_t first, uint32_t n, uint32_t *begin);
/* Returns the address of the draw of M's u. For a message in a row, the draw is the position of u within the range of
 * probabilities of the message's element. */
struct mpg_address mpg_flight_address(const struct mpg_perturbation *p, const struct mpg_sent_message *m);
/* Times of a size on the target: X_T(0; u) by the latency model, X_T(d; u) and X_T(0; u) by the byte model. */
struct mpg_target_one_way_times {
    struct mpg_one_way_time lambda, whole, empty;
};
/* Sets TIMES for BYTES. Returns false if P's target has no message times. */
bool mpg_flight_target_one_way_times(const struct mpg_perturbation *p, double bytes, struct mpg_target_one_way_times *times);
/* If the extra time of a message of BYTES is equal in all replicas and for all senders, writes terms with this sum, ns, into
 * TERM_NS and returns the number of terms, 1 to MAX. Otherwise returns 0. */
uint32_t mpg_flight_terms(const struct mpg_perturbation *p, double bytes, uint32_t max, double *term_ns);
/* Returns true if the extra time of a message of BYTES is a difference of measured times: TARGET at u less SOURCE at u or, if
 * MIN, less TARGET's minimum. Sets *TARGET, *SOURCE and *MIN. */
bool mpg_flight_interpolations(const struct mpg_perturbation *p, double bytes, struct mpg_interpolation *target,
                      struct mpg_interpolation *source, bool *min);

/* The functions below add ns to VALUE_NS of the N replicas from FIRST on. */

/* Adds PART of the extra time of message M over the traced time. */
void mpg_perturb_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        enum mpg_flight_part part, uint32_t first, uint32_t n, double *value_ns);
/* Adds lambda2, the extra time of the acknowledgement of M. */
void mpg_perturb_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                     uint32_t first, uint32_t n, double *value_ns);
/* Add the time of PART of M, and of M's acknowledgement, on the target: X_T(0) for lambda, X_T(d) - X_T(0) for tau. Where X_T is
 * unknown: FLOOR_NS, the minimum time in the trace, and the extra time. */
void mpg_add_target_flight(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                           enum mpg_flight_part part, double floor_ns, uint32_t first, uint32_t n,
                           double *value_ns);
void mpg_add_target_ack(const struct mpg_perturbation *p, const struct mpg_sent_message *m,
                        double floor_ns, uint32_t first, uint32_t n, double *value_ns);
/* Adds ROUNDS rounds of a collective, number INDEX among the collectives that CALL of RANK starts: the sum over rounds of kappa
 * and, if HAS_MESSAGE, of the extra time of a message of BYTES / ROUNDS. */
void mpg_perturb_rounds(const struct mpg_perturbation *p, int32_t rank, uint64_t call,
                        uint32_t index, uint32_t rounds, double bytes, bool has_message,
                        uint32_t first, uint32_t n, double *value_ns);

#endif
