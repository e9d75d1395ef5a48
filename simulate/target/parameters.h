/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target machine, which need not exist, as parameters: mpgtarget(5) (docs/MACHINES.md; Shanmugam, Malony, Mohr 1995, section
 * 3.3 and Table 1). */
#ifndef MPG_PARAMETERS_H
#define MPG_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "simulate/draws/spec.h"
#include "simulate/target/links.h"

enum mpg_policy { MPG_POLICY_NONE, MPG_POLICY_INTERRUPT, MPG_POLICY_POLL, MPG_POLICY_OFFLOAD, MPG_POLICY_CALLS };

enum mpg_topology {
    MPG_TOPOLOGY_FULL,
    MPG_TOPOLOGY_BUS,
    MPG_TOPOLOGY_RING,
    MPG_TOPOLOGY_MESH,
    MPG_TOPOLOGY_TORUS,
    MPG_TOPOLOGY_HYPERCUBE,
    MPG_TOPOLOGY_FATTREE,
    MPG_TOPOLOGY_LAYOUT /* fattree:..., torus:..., dragonfly:... (simulate/target/links.h) */
};

enum mpg_barrier_algorithm { MPG_BARRIER_LINEAR, MPG_BARRIER_LOG, MPG_BARRIER_ROUNDS };

/* Times of a machine, >= 0, each drawn anew for each use; and a fraction. */
enum mpg_parameter {
    MPG_STARTUP,          /* startup of a message, on the sender's processor */
    MPG_BYTE,             /* transfer of a byte */
    MPG_BUILD,            /* build of a message, on the sender's processor, before startup */
    MPG_SERVICE,          /* service of a message, on the receiver's processor */
    MPG_HOP,              /* passage of one link */
    MPG_POLL,             /* one poll for requests */
    MPG_INTERRUPT,        /* interruption of work by a request */
    MPG_CLUSTER_STARTUP,  /* startup and transfer of a byte within a cluster */
    MPG_CLUSTER_BYTE,
    MPG_ENTRY,            /* this and the following four: times of a barrier */
    MPG_EXIT,
    MPG_CHECK,
    MPG_EXIT_CHECK,
    MPG_MODEL,
    MPG_BACKGROUND,       /* fraction of a link's bandwidth that other jobs use */
    MPG_PARAMETERS
};

/* The largest background traffic. */
#define MPG_BACKGROUND_MAX 0.99

enum { MPG_KEYS = 35 };

/* The kind of a key's value; a time may be a distribution. */
enum mpg_key_unit { MPG_KEY_TIME, MPG_KEY_NUMBER, MPG_KEY_BYTES, MPG_KEY_COUNT, MPG_KEY_WORD, MPG_KEY_UNKNOWN };

struct mpg_parameters {
    char *name;                  /* name of the file, or of the shipped parameter set */
    char *mips_ratio;            /* text of the MipsRatio, as given; NULL: not given */
    const char *ratio_against;   /* the machine that the shipped file's ratio compares with; NULL: the traced machine */
    bool of_messages;            /* some time of messages is given */
    bool of_barrier;             /* some time of barriers is given; otherwise all have default values */
    struct mpg_spec time[MPG_PARAMETERS];
    char *text[MPG_PARAMETERS];  /* the times, as texts */
    double request_bytes, barrier_bytes;
    enum mpg_policy policy;
    bool policy_given;
    double poll_interval_ns;     /* > 0 */
    enum mpg_topology topology;
    struct mpg_layout layout;    /* of MPG_TOPOLOGY_LAYOUT */
    char *topology_text;         /* the topology, as given */
    double contention;           /* >= 0 */
    int32_t processors;          /* 0: one for each rank */
    char *map;                   /* block, cyclic, or a file with one processor a line; NULL: block */
    double switch_ns, quantum_ns; /* time to switch between ranks; time slice, 0: a rank runs until it blocks */
    int32_t cluster;             /* processors in a cluster; 1: no clusters */
    enum mpg_barrier_algorithm barrier;
    bool barrier_by_messages;
    double port_bytes_per_s, memory_bytes_per_s; /* capacities of each host's port, in each direction, and memory; 0: unlimited */
    double link_bytes_per_s[MPG_LAYOUT_SIZES]; /* by level of links; 0: unlimited */
    int link_levels;             /* number of bandwidths of links that are given; 0: unlimited */
    double port_bucket_bytes;    /* of each port, in each direction: bytes beyond the capacity after a rest; 0: none */
    double port_queue_bytes;     /* bytes that can be ahead of a request in a port, in each direction; 0: none */
    double opposite_bytes;       /* messages of a pair of ranks from this size on wait for opposite ones; 0: none does */
    bool given[MPG_KEYS];        /* by key: the file or the command line gives the key */
    unsigned line[MPG_KEYS];     /* by key: line of the file; 0: given on the command line */
};

/* Reads the file PATH or, if there is none, the shipped file of that name (ethernet25, hdr and so on, with or without
 * .par). NULL with ERR, which names file and line. The caller frees it. */
struct mpg_parameters *mpg_parameters_read(const char *path, struct mpg_error *err);
/* Parses LENGTH bytes of TEXT; NAME is its name in errors. Returns as mpg_parameters_read(). */
struct mpg_parameters *mpg_parameters_parse(const char *text, size_t length, const char *name,
                                            struct mpg_error *err);
/* Sets a key of P; TEXT is "KEY=VALUE". */
int mpg_parameters_set(struct mpg_parameters *p, const char *text, struct mpg_error *err);
/* Returns the kind of KEY's value; MPG_KEY_UNKNOWN: there is no such key. */
enum mpg_key_unit mpg_parameters_unit(const char *key);
/* Checks P after all keys are set. Error: a key has no effect with the values of others. */
int mpg_parameters_check(const struct mpg_parameters *p, struct mpg_error *err);
/* Returns the name of the first setting of P that only prediction in the order of simulated time (simulate/events/) can
 * evaluate; NULL: none. MEETS: barriers are simulated with P's parameters. */
const char *mpg_parameters_need_events(const struct mpg_parameters *p, bool meets);
/* Prefixes ERR, which is about P's value of KEY, with its file and line. Returns -1. */
int mpg_parameters_set_key_error(const struct mpg_parameters *p, const char *key, struct mpg_error *err);
void mpg_parameters_free(struct mpg_parameters *p); /* NULL is allowed */

/* Returns true if some time or the background traffic of P is random. */
bool mpg_parameters_are_random(const struct mpg_parameters *p);
/* Returns the draw of WHICH at ADDRESS in REPLICA, >= 0: a time in ns, or the background traffic, at most
 * MPG_BACKGROUND_MAX. The caller chooses purpose and index. */
double mpg_parameter_draw(const struct mpg_parameters *p, enum mpg_parameter which,
                          const struct mpg_address *address, uint32_t replica);
/* Returns whether P has background traffic on links. */
bool mpg_parameters_have_background(const struct mpg_parameters *p);
/* Returns the median of time WHICH, ns. */
double mpg_parameter_median(const struct mpg_parameters *p, enum mpg_parameter which);
const char *mpg_policy_name(enum mpg_policy policy);

#endif
