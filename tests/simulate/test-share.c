/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution of replicas over processes (TAP): each replica once, in whole blocks, in equal shares. */
#include "simulate/evaluate/driver/share.h"
#include "tests/tap.h"

/* Returns the number of blocks of 16 replicas in a process's share of REPLICAS. */
static uint32_t blocks(struct mpg_share s)
{
    return (s.n + 15) / 16;
}

static bool are_right(uint32_t replicas, int n)
{
    uint32_t next = 0, min = UINT32_MAX, max = 0;
    bool right = mpg_share_of(replicas, 0, n).n > 0;
    for (int i = 0; i < n; i++) {
        const struct mpg_share s = mpg_share_of(replicas, i, n);
        right = right && s.begin == next && (s.n == 0 || s.begin % 16 == 0);
        next = s.begin + s.n;
        min = blocks(s) < min ? blocks(s) : min;
        max = blocks(s) > max ? blocks(s) : max;
    }
    return right && next == replicas && max - min <= 1;
}

int main(void)
{
    bool right = true;
    for (uint32_t replicas = 1; replicas <= 300; replicas++)
        for (int n = 1; n <= 25; n++)
            right = right && are_right(replicas, n);
    ok(right, "few replicas of few processes");
    ok(are_right(UINT32_MAX, 7) && are_right(UINT32_MAX, 100000) && are_right(1000000, 4096),
           "many");
    const struct mpg_share third = mpg_share_of(100, 2, 3);
    ok(third.begin == 80 && third.n == 20, "100 of three, seven blocks: 3, 2, 2 of which one is of 4");
    return done();
}
