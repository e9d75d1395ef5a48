/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entry points of mpgscale and of `mpgscale run`, which ends with the analysis. */
#ifndef MPG_SCALE_COMMANDS_H
#define MPG_SCALE_COMMANDS_H

/* mpgscale [OPTION]... FILE...; ARGV[0] is the program's name. mpg_scale_main() and mpg_scale_run_main() call exit() for
 * --help and for a wrong command line; otherwise return the exit status. */
int mpg_scale_main(int argc, char **argv);
/* mpgscale run [OPTION]... -- COMMAND...; ARGV[0] is "mpgscale run" (scale/run/). */
int mpg_scale_run_main(int argc, char **argv);

#endif
