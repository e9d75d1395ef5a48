/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modules whose calls of MPI go past the tracer: they were loaded so that their own libraries come first (dlopen(3), RTLD_DEEPBIND). */
#ifndef MPG_TRACER_PAST_H
#define MPG_TRACER_PAST_H

/* At the end of the run: says, in one line a module, which functions of MPI it calls in the library itself. What asks the library for a
 * function by dlsym(3) leaves no such mark. */
void past_tell(void);

#endif
