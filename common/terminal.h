/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal showing the output. */
#ifndef MPG_TERMINAL_H
#define MPG_TERMINAL_H

/* Returns the columns of the terminal at standard output: COLUMNS of the environment, if a number above 0, else the terminal's
 * width; 0 if standard output is no terminal, or the width is not known. */
unsigned mpg_terminal_columns(void);

#endif
