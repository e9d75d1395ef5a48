/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of mpgtrace, each with the parameters of main(); ARGV[0] is the subcommand's name. */
#ifndef MPG_TRACE_COMMANDS_H
#define MPG_TRACE_COMMANDS_H

#include "common/error.h"

int mpg_record_main(int argc, char **argv);
int mpg_print_main(int argc, char **argv);
int mpg_import_main(int argc, char **argv);
int mpg_stat_main(int argc, char **argv);
/* in analyse/, which needs graph/ */
int mpg_waits_main(int argc, char **argv);
int mpg_compare_main(int argc, char **argv);
int mpg_critical_path_main(int argc, char **argv);
int mpg_efficiency_main(int argc, char **argv);
int mpg_graph_main(int argc, char **argv);
int mpg_matrix_main(int argc, char **argv);
int mpg_sizes_main(int argc, char **argv);
int mpg_timeline_main(int argc, char **argv);
/* in export/, on top of analyse/ */
int mpg_export_main(int argc, char **argv);

/* Prints the profile at PATH (trace/profile/profile.h). DEBUG_PATH: see mpg_symbols_new(). Returns 0, or -1 with ERR. */
int mpg_profile_report(const char *path, const char *debug_path, struct mpg_error *err);

#endif
