/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgscale: finds the MPI calls that will not scale. */
#include <stdio.h>
#include <string.h>

#include "scale/commands.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "run") == 0) {
        argv[1] = "mpgscale run";
        return mpg_scale_run_main(argc - 1, argv + 1);
    }
    if (argc == 2 && strcmp(argv[1], "--completion") == 0)
        puts("run\nFILE..."); /* words for shell completion, to which mpg_scale_main() adds the options of the analysis */
    return mpg_scale_main(argc, argv);
}
