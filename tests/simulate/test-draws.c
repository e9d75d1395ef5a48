/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random draws by address: Philox's published results, and the influence of every part of the address. */
#include <math.h>
#include <stdlib.h>

#include "simulate/draws/draws.h"
#include "tests/tap.h"

/* Known answers of philox4x32-10 from kat_vectors of Random123 1.09. */
static const struct {
    uint32_t counter[4], key[2], answer[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void test_known_answers(void)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t *c = known[i].counter, *k = known[i].key;
        philox4x32_ctr_t counter = {{c[0], c[1], c[2], c[3]}};
        philox4x32_key_t key = {{k[0], k[1]}};
        philox4x32_ctr_t r = philox4x32(counter, key);
        bool same = true;
        for (int j = 0; j < 4; j++)
            same = same && r.v[j] == known[i].answer[j];
        ok(same, "philox4x32-10, known answer %d", i);

        /* the address of the draw that uses this counter and key */
        struct mpg_address a = {.seed = (uint64_t)k[1] << 32 | k[0],
                                .call = c[2],
                                .rank = (int32_t)c[1],
                                .purpose = (enum mpg_purpose)(c[3] >> 28),
                                .index = c[3] & 0x0fffffff};
        uint64_t bits = (uint64_t)known[i].answer[1] << 32 | known[i].answer[0];
        ok(mpg_draw(&a, c[0]) == mpg_uniform(bits), "the draw at that address");
        ok(fabs(mpg_draw(&a, c[0]) - (double)bits * 0x1p-64) <= 0x1p-52,
           "it is the first 64 bits as a fraction");
    }
}

/* The three parts of a block of random words, from known words, and the address of a message's block. */
static void test_message(void)
{
    const uint32_t word[4] = {0x12345678, 0x9abcdef0, 0x0fedcba9, 0xc0000000 | 0x303 << 20 | 2 << 10 | 1};
    ok(mpg_uniform_part(word, 0) == ((double)(UINT64_C(0x12345678) * 1024 + 1) + 0.5) / 0x1p42,
       "the first part is the first word and the lowest 10 bits of the last");
    ok(mpg_uniform_part(word, 1) == ((double)(UINT64_C(0x9abcdef0) * 1024 + 2) + 0.5) / 0x1p42,
       "the second the second one and the next ones");
    ok(mpg_uniform_part(word, 2) == ((double)(UINT64_C(0x0fedcba9) * 1024 + 0x303) + 0.5) / 0x1p42,
       "the third the third one and those after them");
    const uint32_t none[4] = {0}, all[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (int part = 0; part < 3; part++)
        ok(mpg_uniform_part(none, part) == 0x1p-43 && mpg_uniform_part(all, part) == 1 - 0x1p-43,
           "part %d is from 2^-43 to 1 - 2^-43", part);
    struct mpg_address a = {.seed = 7, .call = 1207, .rank = 3, .index = 2};
    const philox4x32_key_t key = {{7, 0}};
    const philox4x32_ctr_t counter = {{5, 3, 1207, (uint32_t)MPG_DRAW_LATENCY << 28 | 2}};
    const philox4x32_ctr_t r = philox4x32(counter, key);
    const enum mpg_purpose purpose[] = {MPG_DRAW_LATENCY, MPG_DRAW_SEND, MPG_DRAW_RECEIVE};
    for (int part = 0; part < 3; part++) {
        a.purpose = purpose[part];
        ok(mpg_draw(&a, 5) == mpg_uniform_part(r.v, part), "draw %d of a message is part of its latency's block",
           part);
    }
}

/* Draws for many messages are uniform, and pairwise uncorrelated, within 5 standard deviations. */
static void test_messages(void)
{
    enum { N = 20000 };
    const enum mpg_purpose purpose[] = {MPG_DRAW_LATENCY, MPG_DRAW_SEND, MPG_DRAW_RECEIVE};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        double sum = 0, square = 0, product = 0, low = 0;
        for (int k = 0; k < N; k++) {
            struct mpg_address a = {.seed = 11, .call = (uint64_t)k / 4, .rank = k % 4, .purpose = purpose[i]};
            struct mpg_address b = a;
            b.purpose = purpose[j];
            const double u = mpg_draw(&a, 1), v = mpg_draw(&b, 1);
            sum += u - 0.5;
            square += (u - 0.5) * (u - 0.5);
            product += (u - 0.5) * (v - 0.5);
            low += fmod(u * 0x1p32, 1) - 0.5; /* bits of the fourth word */
        }
        ok(fabs(sum) < 5 * sqrt(N / 12.0) && fabs(low) < 5 * sqrt(N / 12.0), "draw %d of messages: its mean", i);
        ok(fabs(square - N / 12.0) < 5 * sqrt(N / 180.0), "its variance");
        ok(fabs(product) < 5 * sqrt(N) / 12, "it says nothing of draw %d", j);
    }
}

static void test_open_interval(void)
{
    ok(mpg_uniform(0) == 0x1p-53, "the least draw is 2^-53");
    ok(mpg_uniform(UINT64_MAX) == 1 - 0x1p-53, "the largest is 1 - 2^-53");
    ok(mpg_uniform(UINT64_MAX / 2 + 1) > 0.5 && mpg_uniform(UINT64_MAX / 2) < 0.5,
       "they lie around the middle alike");
}

static void test_parts(void)
{
    const struct mpg_address a = {
        .seed = 7, .call = 1207, .rank = 3, .purpose = MPG_DRAW_LATENCY, .index = 2};
    const double u = mpg_draw(&a, 5);
    struct mpg_address b = a;
    ok(mpg_draw(&b, 5) == u, "the same address, the same draw");
    ok(mpg_draw(&b, 6) != u, "another replica");
    b.seed = 8;
    ok(mpg_draw(&b, 5) != u, "another seed");
    b.seed = a.seed + (UINT64_C(1) << 40);
    ok(mpg_draw(&b, 5) != u, "another upper half of the seed");
    b = a;
    b.call++;
    ok(mpg_draw(&b, 5) != u, "another call");
    b.call = a.call + (UINT64_C(1) << 32);
    ok(mpg_draw(&b, 5) != u, "another upper half of the call");
    b = a;
    b.rank = 4;
    ok(mpg_draw(&b, 5) != u, "another rank");
    b = a;
    b.purpose = MPG_DRAW_ACK;
    ok(mpg_draw(&b, 5) != u, "another purpose");
    b = a;
    b.index = 3;
    ok(mpg_draw(&b, 5) != u, "another index");
}

enum { SIDE = 6 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Neighbouring addresses: no two draws are equal, mean and variance are those of a uniform distribution, and neighbours
 * are uncorrelated. Bounds are 5 standard deviations; the draws are always the same. */
static void test_grid(void)
{
    enum { N = SIDE * SIDE * SIDE * SIDE * SIDE };
    double *u = malloc(N * sizeof *u), sum = 0, squares = 0, products = 0;
    if (!u)
        exit(1);
    int n = 0;
    for (uint32_t replica = 0; replica < SIDE; replica++)
        for (int rank = 0; rank < SIDE; rank++)
            for (uint64_t call = 0; call < SIDE; call++)
                for (int purpose = 1; purpose <= SIDE; purpose++)
                    for (uint32_t index = 0; index < SIDE; index++) {
                        struct mpg_address a = {.seed = 1,
                                                .call = call,
                                                .rank = rank,
                                                .purpose = (enum mpg_purpose)purpose,
                                                .index = index};
                        u[n++] = mpg_draw(&a, replica);
                    }
    for (int i = 0; i < N; i++) {
        sum += u[i] - 0.5;
        squares += (u[i] - 0.5) * (u[i] - 0.5);
        products += (u[i] - 0.5) * (u[(i + 1) % N] - 0.5);
    }
    ok(fabs(sum / N) < 5 * sqrt(1.0 / 12 / N), "mean 1/2");
    ok(fabs(squares / N - 1.0 / 12) < 5 * sqrt(1.0 / 180 / N), "variance 1/12");
    ok(fabs(products / N) < 5 * sqrt(1.0 / 144 / N), "no correlation between neighbours");
    qsort(u, N, sizeof *u, ascending);
    double farthest = 0; /* Kolmogorov-Smirnov distance */
    bool distinct = true;
    for (int i = 0; i < N; i++) {
        farthest = fmax(farthest, fmax(u[i] - (double)i / N, (i + 1.0) / N - u[i]));
        distinct = distinct && (i == 0 || u[i] > u[i - 1]);
    }
    ok(distinct, "no two of %d addresses share a draw", N);
    ok(farthest < 2 / sqrt(N), "uniform"); /* exceeded with probability 0.0007 */
    free(u);
}

int main(void)
{
    test_known_answers();
    test_message();
    test_messages();
    test_open_interval();
    test_parts();
    test_grid();
    return done();
}
