/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine that may not exist, as parameters: mpgtarget(5) (docs/MACHINES.md; Shanmugam, Malony,
 * Mohr 1995, section 3.3 and Table 1). */
#ifndef MPG_PARAMETERS_H
#define MPG_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "simulate/draws/spec.h"

enum mpg_policy { MPG_POLICY_NONE, MPG_POLICY_INTERRUPT, MPG_POLICY_POLL, MPG_POLICY_OFFLOAD, MPG_POLICY_CALLS };

enum mpg_topology {
    MPG_TOPOLOGY_FULL,
    MPG_TOPOLOGY_BUS,
    MPG_TOPOLOGY_RING,
    MPG_TOPOLOGY_MESH,
    MPG_TOPOLOGY_TORUS,
    MPG_TOPOLOGY_HYPERCUBE,
    MPG_TOPOLOGY_FATTREE
};

enum mpg_barrier_algorithm { MPG_BARRIER_LINEAR, MPG_BARRIER_LOG, MPG_BARRIER_ROUNDS };

/* Times, each drawn where it is needed; never negative. */
enum mpg_parameter {
    MPG_STARTUP,          /* the sender's processor, a message */
    MPG_BYTE,             /* a byte's way */
    MPG_BUILD,            /* the sender's processor, a message, before its startup */
    MPG_SERVICE,          /* the receiver's, a message */
    MPG_HOP,              /* a link on the way */
    MPG_POLL,             /* a look for requests */
    MPG_INTERRUPT,        /* of work, by a request */
    MPG_CLUSTER_STARTUP,  /* startup and byte within a cluster */
    MPG_CLUSTER_BYTE,
    MPG_ENTRY,            /* of the barrier */
    MPG_EXIT,
    MPG_CHECK,
    MPG_EXIT_CHECK,
    MPG_MODEL,
    MPG_PARAMETERS
};

enum { MPG_KEYS = 28 };

/* What a key's values are; of times also distributions. */
enum mpg_key_unit { MPG_KEY_TIME, MPG_KEY_NUMBER, MPG_KEY_BYTES, MPG_KEY_COUNT, MPG_KEY_WORD, MPG_KEY_UNKNOWN };

struct mpg_parameters {
    char *name;                  /* of the file, or of the one that is shipped */
    char *mips_ratio;            /* as given; NULL: not */
    bool of_messages;            /* it says what they take, */
    bool of_barrier;             /* and barriers; else these are defaults */
    struct mpg_spec time[MPG_PARAMETERS];
    char *text[MPG_PARAMETERS];  /* theirs */
    double request_bytes, barrier_bytes;
    enum mpg_policy policy;
    bool policy_given;
    double poll_interval_ns;     /* > 0 */
    enum mpg_topology topology;
    double contention;           /* >= 0 */
    int32_t processors;          /* 0: as many as ranks */
    char *map;                   /* block, cyclic, or a file of a processor a line; NULL: block */
    double switch_ns, quantum_ns; /* quantum 0: until it blocks */
    int32_t cluster;             /* processors of one; 1: there are none */
    enum mpg_barrier_algorithm barrier;
    bool barrier_by_messages;
    bool given[MPG_KEYS];        /* which keys the file, or the command line, has, */
    unsigned line[MPG_KEYS];     /* and where; 0: on the command line */
};

/* Those of the file PATH, or, where there is none of that name, of a shipped one (distributed, shared, ideal,
 * cm5, with or without .par). Errors name file and line. Both are the caller's to free. */
struct mpg_parameters *mpg_parameters_read(const char *path, struct mpg_error *err);
/* Of LENGTH bytes of TEXT, called NAME. */
struct mpg_parameters *mpg_parameters_parse(const char *text, size_t length, const char *name,
                                            struct mpg_error *err);
/* TEXT is KEY=VALUE, in place of what P says. */
int mpg_parameters_set(struct mpg_parameters *p, const char *text, struct mpg_error *err);
/* MPG_KEY_UNKNOWN: there is no KEY. */
enum mpg_key_unit mpg_parameters_unit(const char *key);
/* Once all is said: an error, where a key has no effect by what others say. */
int mpg_parameters_check(const struct mpg_parameters *p, struct mpg_error *err);
/* ERR is about what P says of KEY: where that is goes before it; -1. */
int mpg_parameters_blame(const struct mpg_parameters *p, const char *key, struct mpg_error *err);
void mpg_parameters_free(struct mpg_parameters *p); /* NULL is allowed */

/* Whether any of its times is random. */
bool mpg_parameters_are_random(const struct mpg_parameters *p);
/* WHICH of P's times at ADDRESS, whose purpose and index are the caller's, in REPLICA, ns, >= 0. */
double mpg_parameter_draw(const struct mpg_parameters *p, enum mpg_parameter which,
                          const struct mpg_address *address, uint32_t replica);
/* Its median. */
double mpg_parameter_median(const struct mpg_parameters *p, enum mpg_parameter which);
const char *mpg_policy_name(enum mpg_policy policy);
const char *mpg_topology_name(enum mpg_topology topology);

#endif
