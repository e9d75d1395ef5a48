/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal that shows the output. */
#ifndef MPG_TERMINAL_H
#define MPG_TERMINAL_H

/* Returns the columns of the terminal at standard output: COLUMNS of the environment, if it is a number above 0, else the
 * terminal's own; 0 if standard output is no terminal, or its width is not known. */
unsigned mpg_terminal_columns(void);

#endif
