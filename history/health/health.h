/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The health of machines: the kept signatures of each host in the order of measurement, compared with the first ones. Private to
 * mpghistory.
 *
 * The first `baseline` signatures of a host measure how much the machine differs from itself (signature/diff/compare.h, repeated
 * measurements). Each later signature is compared with their mean; earlier ones with the signatures before. */
#ifndef MPG_HEALTH_H
#define MPG_HEALTH_H

#include <stdio.h>

#include "history/history.h"
#include "signature/diff/compare.h"

/* How a parameter beyond the tolerance changed. OTHER: neither is better, such as an eager limit. */
enum health_change { HEALTH_SLOWER, HEALTH_FASTER, HEALTH_NOISIER, HEALTH_QUIETER, HEALTH_OTHER, HEALTH_CHANGES };

struct health_entry {
    struct mpg_history_signature kept; /* without text */
    struct mpg_signature *signature;
    struct mpg_difference since_first; /* against the baseline, see above; empty for the first signature of a host */
    size_t baseline;                   /* number of signatures in the baseline; fewer than HEALTH_MIN_BASELINE: spread assumed */
    size_t count[HEALTH_CHANGES];      /* parameters of since_first beyond the tolerance */
    size_t since_last;                 /* parameters beyond the tolerance against the signature before, with an assumed spread */
    char *headers;                     /* header lines that differ from the signature before: "kernel, mpi"; "": none */
};
enum { HEALTH_MIN_BASELINE = 3 };

/* The signatures of one host. */
struct health_host {
    const char *name;
    struct health_entry *entry;
    size_t n;
};

struct health_options {
    const char *history, *host; /* HOST: only this host; NULL: all */
    int64_t baseline;           /* largest number of signatures in a baseline */
    double tolerance;
};

struct health {
    const struct health_options *options;
    struct health_entry *entry; /* of all hosts, by host and time of measurement */
    size_t n;
    struct health_host *host;
    size_t hosts;
};

/* Reads the history and compares. The caller clears H, also on failure. Returns 0, or -1 with ERR: no signature (of the host), a
 * damaged signature, out of memory, errors of the history. */
int mpg_health_make(struct health *h, const struct health_options *options, struct mpg_error *err);
void mpg_health_clear(struct health *h);

/* Returns how the parameter ITEM, whose verdict is beyond, changed. */
enum health_change mpg_health_change(const struct mpg_parameter *item);
/* Returns the last entry of HOST; its verdict is known if its baseline has HEALTH_MIN_BASELINE signatures. */
const struct health_entry *mpg_health_last(const struct health_host *host);
/* Returns whether the machine became slower or noisier: with a known verdict, a parameter of the last entry. */
bool mpg_health_is_worse(const struct health_host *host);

/* The smallest changes, as ratios of at least 1, that a comparison can tell from the machine's own variation and the tolerance:
 * medians over the compared parameters. A single parameter among many must change more, for the false discovery rate. */
struct health_smallest {
    double speed, noise; /* of times and rates; of noise. NaN: no such parameter */
};
int mpg_health_smallest(const struct health *h, const struct health_entry *e, struct health_smallest *smallest,
                        struct mpg_error *err);

/* Print. Both return 0, or -1 with ERR: out of memory. */
int mpg_health_print_text(const struct health *h, FILE *out, struct mpg_error *err);
int mpg_health_print_json(const struct health *h, FILE *out, struct mpg_error *err);
/* Draws the drift of each host with two signatures or more into FOLDER. Errors: see mpg_plot_all(). */
int mpg_health_plot(const struct health *h, const char *folder, struct mpg_error *err);

/* Commands of mpghistory with the parameters of main(): keep, health, signature. Each returns the exit status. */
int mpg_health_keep_main(int argc, char **argv);
int mpg_health_main(int argc, char **argv);
int mpg_health_signature_main(int argc, char **argv);

#endif
