/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpghistory compare. Private to mpghistory. */
#ifndef MPG_HISTORY_COMPARE_COMMAND_H
#define MPG_HISTORY_COMPARE_COMMAND_H

/* Compares kept answers by the words of the command line, as main(). Returns the exit status: 3 and 4 for conditions
 * (common/conditions/conditions.h). */
int mpg_history_compare_main(int argc, char **argv);

#endif
