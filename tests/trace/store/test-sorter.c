/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting beyond memory (TAP): the same order as qsort()'s, for any number of runs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "trace/store/sorter.h"

enum { KEYS = 4 };

struct item {
    int64_t keys[KEYS];
    char rest[8];
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int i = 0;
    while (i + 1 < KEYS && x->keys[i] == y->keys[i])
        i++;
    return (x->keys[i] > y->keys[i]) - (x->keys[i] < y->keys[i]);
}

/* Sorts N items with a buffer of BUFFER bytes, and compares with qsort(). KEYS: number of different keys; 0: the items
 * are already in order. */
static bool same(size_t n, size_t buffer, uint32_t keys)
{
    struct mpg_error err;
    struct item *all = calloc(n + 1, sizeof *all);
    struct mpg_sorter *s = mpg_sorter_new(sizeof *all, KEYS, buffer, &err);
    uint32_t state = 12345;
    bool right = all && s;
    for (size_t i = 0; i < n && right; i++) {
        state = state * 1664525 + 1013904223;
        const int64_t key = keys ? (int64_t)(state >> 8) % keys - keys / 2 : (int64_t)i / 3, order = (int64_t)i;
        all[i] = (struct item){{key / 8, key % 8, order / 2, order % 2}, ""};
        memset(all[i].rest, (int)i, sizeof all[i].rest);
        right = mpg_sorter_add(s, &all[i], &err) == 0;
    }
    if (right)
        qsort(all, n, sizeof *all, compare);
    right = right && mpg_sorter_sort(s, &err) == 0;
    const void *item;
    for (size_t i = 0; i < n && right; i++)
        right = mpg_sorter_next(s, &item, &err) == 1 && memcmp(item, &all[i], sizeof *all) == 0;
    right = right && mpg_sorter_next(s, &item, &err) == 0 && mpg_sorter_next(s, &item, &err) == 0;
    mpg_sorter_free(s);
    free(all);
    return right;
}

int main(void)
{
    enum { BUFFER = 100 * (sizeof(struct item) + 8) };
    ok(same(0, BUFFER, 7), "no items");
    ok(same(1, BUFFER, 7), "one item");
    ok(same(99, BUFFER, 7), "in memory");
    ok(same(100, BUFFER, 7), "a full buffer");
    ok(same(101, BUFFER, 1 << 20), "one more");
    ok(same(1000, BUFFER, 5), "ten runs with equal keys");
    ok(same(100007, BUFFER, 1 << 20), "more runs than blocks fit into the buffer");
    ok(same(100007, BUFFER, 0), "in order already");
    ok(same(1000, 1, 100), "a buffer of one item");
    setenv("TMPDIR", "/nowhere", 1);
    struct mpg_error err = {""};
    struct mpg_sorter *s = mpg_sorter_new(16, 2, 16, &err);
    const int64_t item[4] = {0};
    ok(s && mpg_sorter_add(s, item, &err) == 0 && mpg_sorter_add(s, item, &err) < 0 && strstr(err.text, "/nowhere"),
       "no place for a temporary file");
    mpg_sorter_free(s);
    return done();
}
