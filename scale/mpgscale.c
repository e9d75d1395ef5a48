/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpgscale: which calls will not scale. */
#include "scale/commands.h"

int main(int argc, char **argv)
{
    return mpg_scale_main(argc, argv);
}
