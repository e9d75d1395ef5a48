/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the tracer on the program's standard error. */
#ifndef MPG_TRACER_REPORT_H
#define MPG_TRACER_REPORT_H

/* Stores the identity of the file behind standard error, at the start. */
void report_start(void);

/* Writes "mpgtrace: ", the formatted text (at most some 600 bytes) and a line end with one write(2): lines of several ranks do
 * not mix. Writes nothing if the program has replaced standard error since report_start(). A pipe without a reader does not kill
 * the process. */
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);

#endif
