/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the algorithms of collectives for tests/graph/test-algorithms-named.py: for each operation a line with the operation's
 * name (with a leading i if nonblocking) and its algorithms. The last line, `all`, has every algorithm in the order of
 * mpg_algorithm_at(). */
#include <stdio.h>

#include "graph/algorithms/algorithm.h"

static void list(enum mpg_collective operation, bool nonblocking)
{
    printf("%s%s", nonblocking ? "i" : "", mpg_collective_name(operation));
    for (size_t i = 0; i < mpg_algorithm_number(); i++)
        if (mpg_algorithm_serves(mpg_algorithm_at(i), operation, nonblocking))
            printf(" %s", mpg_algorithm_name(mpg_algorithm_at(i)));
    printf("\n");
}

int main(void)
{
    for (enum mpg_collective operation = 0; operation < MPG_COLLECTIVES; operation++) {
        list(operation, false);
        list(operation, true);
    }
    printf("all");
    for (size_t i = 0; i < mpg_algorithm_number(); i++)
        printf(" %s", mpg_algorithm_name(mpg_algorithm_at(i)));
    printf("\n");
    return 0;
}
