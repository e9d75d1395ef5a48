/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transfers of several pairs at the same time. A repetition: every pair of a case sends an equal number of messages, some in
 * flight at once, from an agreed start on (bench/harness/start.h); the repetition ends with the last message of the last pair, as
 * in osu_mbw_mr. */
#ifndef MPG_SHARING_MEASURE_H
#define MPG_SHARING_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/harness/ranks.h"
#include "bench/harness/stopping.h"
#include "bench/harness/timer.h"
#include "bench/sharing/groups.h"
#include "common/error.h"

/* Columns: pairs_at_once, directions, size_bytes, messages, messages_in_flight, time_ns, off_cpu_ns. */
enum { MPG_SHARING_COLUMNS = 7, MPG_SHARING_TIME = 5 };
/* A sender of small messages sends several windows in a repetition: up to MPG_SHARING_MESSAGES messages, or fewer if limited by
 * bytes. A single window of small messages would measure buffers along the path. */
#define MPG_SHARING_MESSAGES 1024
#define MPG_SHARING_BYTES ((int64_t)4 << 20)
/* "Directions" of two opposite messages: the first rank of the first pair sends one; when a quarter of its usual time is over,
 * the second rank of the last pair sends the other, whose time from its begin to its end is the sample. With one pair both
 * messages are of this pair. */
enum { MPG_SHARING_OPPOSITE = 3, MPG_SHARING_OPPOSITE_PAIRS = 2 };
/* "Directions" of two messages at once, in one direction: the first rank of each of two pairs sends one; the sample is the lead
 * of the message that ends first: the time from its end to the end of the other. Leads are long where messages share unevenly.
 * Their cases end after MPG_SHARING_LEADS samples, since their median is not wanted precisely. */
enum { MPG_SHARING_LEAD = 4, MPG_SHARING_LEAD_PAIRS = 2, MPG_SHARING_LEADS = 100 };
/* Smaller messages, mostly eager, have no opposite cases, and no leads. */
#define MPG_SHARING_OPPOSITE_BYTES ((int64_t)64 << 10)
/* A start delayed by more than this share of a repetition counts as late. */
#define MPG_SHARING_LATE_SHARE 0.05

/* A number of pairs of a class at once, directions, and size. */
struct mpg_sharing_case {
    enum mpg_path path;
    int pairs;
    int directions;     /* 1: each pair's first rank sends; 2: both ranks send; MPG_SHARING_OPPOSITE; MPG_SHARING_LEAD */
    int group;          /* index of the communicator: equal for equal PATH and PAIRS, ascending from 0 */
    int64_t size_bytes;
    /* for each sender: number of messages in a repetition, a multiple of WINDOW; number of messages in flight */
    int64_t messages, window;
    int64_t max;        /* largest number of valid repetitions, >= 1 */
    int64_t done;       /* valid repetitions so far */
    int64_t late;       /* repetitions that do not count, because a rank started after the agreed start */
    double slack_ns;    /* largest slack of a rank: the time from the agreement on a start to the start that the rank proposes */
    double offset_ns;   /* of opposite messages: when the second one begins, after the start; 0: not known yet */
    double usual_ns;    /* 90 % quantile of the last block's times */
    bool finished;
};

struct mpg_sharing_cases {
    size_t n;
    struct mpg_sharing_case *item;
};

/* Parameters; equal on every rank. */
struct mpg_sharing_config {
    bool adaptive;           /* a case ends when its median meets the goal */
    struct mpg_stopping_goal goal;
    int64_t warmup;          /* repetitions before a case's first block, >= 0; fewer if long */
    double time_ns;          /* > 0; no round starts later, except the first, and up to four more for cases without a sample */
    uint64_t seed;           /* seed of the random order of each round */
    double late_ns;          /* minimum delay that counts as late */
    bool oversubscribed;     /* ranks share cores: yield the core while waiting, and do not measure off-CPU time */
};

/* Results; rows on rank 0 only. Zero-initialised is empty. */
struct mpg_sharing_result {
    struct mpg_sharing_rows {
        size_t n, capacity;
        double *value;       /* n rows of MPG_SHARING_COLUMNS, in time order */
    } rows[MPG_PATHS];
    int64_t rounds;
    bool shared;             /* all ranks read a common clock */
    double error_ns;         /* bound on the deviation of any rank's start or end from synchronised time */
};

/* Makes the cases of all GROUPs with at least two pairs: 1, 2, 4 ... and all pairs; both values of directions; one and two
 * pairs also with opposite messages, and two with leads, of at least MPG_SHARING_OPPOSITE_BYTES; the N SIZEs (each >= 1), with
 * WINDOW messages in flight, fewer where more than IN_FLIGHT_BYTES would be in flight; at most MAX repetitions of each case.
 * Without a group of two pairs CASES is empty. The caller frees CASES->item. Errors: out of memory. */
int mpg_sharing_cases_make(const struct mpg_sharing_group group[MPG_PATHS], const int64_t *size, int64_t n,
                           int64_t window, int64_t in_flight_bytes, int64_t max,
                           struct mpg_sharing_cases *cases, struct mpg_error *err);

/* Measures all CASES (>= 1) on MPI_COMM_WORLD and updates the cases' counts: rounds in random order, a block of repetitions for
 * each case, until each case has enough samples, meets the goal, or has had four times as many attempts as samples wanted.
 * Receives are posted before the start. A repetition with a late rank has no row. Ranks without a part in a case wait without
 * load. Collective. Errors, on every rank (with an empty text if another rank failed): out of memory. The caller clears RESULT in
 * any case. */
int mpg_sharing_measure(const struct mpg_sharing_config *config, const struct mpg_ranks *ranks,
                        const struct mpg_timer *timer, const struct mpg_sharing_group group[MPG_PATHS],
                        struct mpg_sharing_cases *cases, struct mpg_sharing_result *result, struct mpg_error *err);
void mpg_sharing_result_clear(struct mpg_sharing_result *result);

/* Prints a table of the CASES of class PATH on standard output; rank 0 only. Errors: out of memory. */
int mpg_sharing_print(const struct mpg_sharing_result *result, const struct mpg_sharing_cases *cases,
                      enum mpg_path path, struct mpg_error *err);

#endif
