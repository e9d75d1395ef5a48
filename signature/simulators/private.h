/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to signature/simulators/: message times of a signature's paths as straight lines, and the notes of an export. */
#ifndef MPG_SIMULATORS_PRIVATE_H
#define MPG_SIMULATORS_PRIVATE_H

#include "signature/simulators/simulators.h"

/* Maximum number of lines of a path: the segments of the LogGP fit, plus 1 if the eager limit divides a segment. */
enum { WIRE_MAX_LINES = MPG_LOGGP_MAX_SEGMENTS + 1 };

/* A straight line through the one-way times of messages of FROM_BYTES to TO_BYTES: a message of B bytes takes
 * latency_ns + B ns_per_byte, both call overheads included. */
struct wire_line {
    int64_t from_bytes, to_bytes;   /* to_bytes of the last line: the largest measured size */
    double latency_ns, ns_per_byte; /* both are 0 or more */
};

/* The message times of a path as straight lines. */
struct wire {
    const struct mpg_network_path *path; /* NULL: not measured */
    size_t lines;                        /* number of lines, which ascend without gaps from 0 bytes */
    struct wire_line line[WIRE_MAX_LINES];
    /* median overheads of small messages; send_ns + receive_ns is at most the latency of the first line */
    double send_ns, receive_ns;
    bool has_overheads;         /* both overheads were measured */
    int64_t eager_bytes;        /* largest message sent eagerly; -1: no message; INT64_MAX: all messages, or unknown */
};

/* Sets W to PATH, which has latencies: the fitted lines, or a single line if PATH has no fit. */
void mpg_wire_of(const struct mpg_network_path *path, struct wire *w);

/* The time of a message by a linear model: FIXED + a X + b Y. mpg_wire_fit() finds a and b. */
struct wire_terms {
    double fixed, x, y;
};
/* Finds a, b >= 0 that minimise the sum of squared relative errors at PATH's median one-way times. TERMS(CONTEXT,
 * bytes) returns the terms of a message. */
void mpg_wire_fit(const struct mpg_network_path *path, struct wire_terms (*terms)(const void *context, double bytes),
                  const void *context, double *a, double *b);

/* Notes for the output: lines of text that name the measured properties missing in the exported machine. */
enum { NOTES_MAX = 24, NOTE_BYTES = 320 };
struct notes {
    size_t n;
    char line[NOTES_MAX][NOTE_BYTES];
};
void mpg_note(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a note on the worst deviation of MODEL(CONTEXT, BYTES), the exported machine's time of a message, from PATH's
 * median one-way times. */
void mpg_note_deviation(struct notes *notes, const struct mpg_network_path *path,
                        double (*model)(const void *context, double bytes), const void *context);

/* The exported machine: the path between the farthest ranks, and the path within a node if different. */
struct exported_machine {
    const struct mpg_signature *sig;
    struct wire far, near; /* near.path NULL: each core is exported as a node, or no path within a node was measured */
    int64_t nodes, cores;  /* number of nodes, and of cores in a node */
    struct notes notes;
};

void mpg_simgrid_print(struct exported_machine *x, FILE *out);
void mpg_loggopsim_print(struct exported_machine *x, FILE *out);
void mpg_dimemas_print(struct exported_machine *x, FILE *out);
/* Prints the machine's name and the notes, each on a line that begins with BEFORE. */
void mpg_notes_print(const struct exported_machine *x, FILE *out, const char *before);

#endif
