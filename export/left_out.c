/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export/left_out.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void mpg_left_out_add(struct mpg_left_out *left, const char *text, uint64_t n)
{
    size_t i = 0;
    while (i < left->n && strcmp(left->item[i].text, text) != 0)
        i++;
    assert(i < MPG_LEFT_OUT_MAX);
    if (n == 0)
        return;
    if (i == left->n) {
        left->item[i].text = text;
        left->n++;
    }
    left->item[i].count += n;
}

void mpg_left_out_print(const struct mpg_left_out *left, const char *program, FILE *out)
{
    for (size_t i = 0; i < left->n; i++)
        fprintf(out, "%s: attention: %" PRIu64 " %s\n", program, left->item[i].count, left->item[i].text);
}
