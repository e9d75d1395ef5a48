/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of successive samples (struct mpg_rows): converts the stored classes to probabilities. */
#include <stdlib.h>
#include <string.h>

#include "signature/signature.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int mpg_rows_class(char letter)
{
    const char *at = letter ? strchr(alphabet, letter) : NULL;
    return at ? (int)(at - alphabet) : -1;
}

char mpg_rows_letter(int class)
{
    return alphabet[class];
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the step between the ranks of successive members of a class with N members. A step near the golden section spreads any
 * run of members over the class; a step coprime to N gives each member a different rank. */
static size_t stride(size_t n)
{
    size_t step = (n * 618 + 999) / 1000;
    while (common_divisor(step, n) > 1)
        step++;
    return step;
}

int mpg_rows_expand(struct mpg_rows *rows, struct mpg_error *err)
{
    size_t n = rows->blocks * rows->length, members[MPG_ROWS_CLASSES] = {0};
    size_t base[MPG_ROWS_CLASSES], step[MPG_ROWS_CLASSES], place[MPG_ROWS_CLASSES] = {0};
    double *u = malloc((2 * n + 1) * sizeof *u);
    if (!u)
        return mpg_error_set(err, "out of memory for %zu samples in a row", n);
    for (size_t i = 0; i < n; i++)
        members[mpg_rows_class(rows->classes[i])]++;
    for (size_t c = 0, before = 0; c < MPG_ROWS_CLASSES; before += members[c++]) {
        base[c] = before;
        step[c] = members[c] > 0 ? stride(members[c]) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        size_t c = (size_t)mpg_rows_class(rows->classes[i]);
        size_t rank = base[c] + (place[c]++ * step[c] + step[c] / 2) % members[c];
        double *once = u + i + i / rows->length * rows->length;
        once[0] = once[rows->length] = ((double)rank + 0.5) / (double)n;
    }
    free(rows->u);
    rows->u = u;
    return 0;
}
