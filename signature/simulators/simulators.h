/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine's signature as the machine of other simulators: a platform of SimGrid, options of LogGOPSim, a configuration of
 * Dimemas (sigshow(1)). Other simulators have a number where a signature has a distribution: each export lists the losses. */
#ifndef MPG_SIMULATORS_H
#define MPG_SIMULATORS_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "signature/signature.h"

enum mpg_simulator { MPG_SIMULATOR_SIMGRID, MPG_SIMULATOR_LOGGOPSIM, MPG_SIMULATOR_DIMEMAS };

/* Names of the simulators in the order of the enum, then NULL: the option's values. */
extern const char *const mpg_simulator_names[];

struct mpg_simulated_machine {
    enum mpg_simulator simulator;
    int64_t ranks; /* number of processes for which the machine has room, >= 1 */
    int64_t cores; /* cores of a node; 0: the largest number of cores of a host in the signature, at least 1 */
};

/* Prints SIG, whose texts are printable, as a MACHINE to OUT. Comments in the output name lost properties; LogGOPSim's options
 * cannot have comments, therefore the notes go to NOTES, a line each. Returns 0, or -1 with ERR: SIG has no message times, out of
 * memory. */
int mpg_simulators_print(const struct mpg_signature *sig, const struct mpg_simulated_machine *machine, FILE *out, FILE *notes,
                         struct mpg_error *err);

#endif
