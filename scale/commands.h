/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgscale's command line, for its program and for `mpgscale run`, which ends with the analysis. */
#ifndef MPG_SCALE_COMMANDS_H
#define MPG_SCALE_COMMANDS_H

/* mpgscale [OPTION]... FILE...; ARGV[0] is the program's name. Both exit themselves for --help and wrong command lines;
 * return the exit status. */
int mpg_scale_main(int argc, char **argv);
/* mpgscale run [OPTION]... -- COMMAND...; ARGV[0] is "mpgscale run" (scale/run/). */
int mpg_scale_run_main(int argc, char **argv);

#endif
