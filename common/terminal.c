/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned mpg_terminal_columns(void)
{
    enum { MAX_COLUMNS = 10000 };
    const char *given = getenv("COLUMNS");
    const long columns = given ? strtol(given, NULL, 10) : 0;
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    if (columns > 0 && columns <= MAX_COLUMNS)
        return (unsigned)columns;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
