/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tracer says on the program's standard error. */
#ifndef MPG_TRACER_SAY_H
#define MPG_TRACER_SAY_H

/* Notes which file standard error is, at the start. */
void say_start(void);

/* Writes "mpgtrace: " and what FORMAT makes, at most some 600 bytes, and a line end, in one
 * write(2), so that lines of several ranks do not mix; not into a file that the program has put
 * in the place of standard error since say_start(), and not to be killed by a pipe that nobody
 * reads. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
