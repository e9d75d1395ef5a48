/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edit distances between words. */
#include "config.h"

#include "common/nearest.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t mpg_nearest_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[3][MPG_NEAREST_LENGTH + 1]; /* row[i % 3][j]: distance of the first i characters of A to the first j of B */
    if (n > MPG_NEAREST_LENGTH || m > MPG_NEAREST_LENGTH)
        return MPG_NEAREST_LENGTH + 1;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

void mpg_nearest_try(struct mpg_nearest *nearest, const char *word)
{
    const size_t length = strlen(word), edits = mpg_nearest_distance(nearest->text, nearest->length, word, length);
    if (edits > MPG_NEAREST_EDITS || 2 * edits >= length || (nearest->word && edits >= nearest->edits))
        return;
    nearest->word = word;
    nearest->edits = edits;
}

const char *mpg_nearest_word(const char *const *words, const char *text, size_t length)
{
    struct mpg_nearest nearest = {text, length, NULL, 0};
    for (; *words; words++)
        mpg_nearest_try(&nearest, *words);
    return nearest.word;
}
