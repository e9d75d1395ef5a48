/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A variant of the floating-point kernel. Included for each instruction set, with CHAINS_NAME (of the function),
 * CHAINS_BYTES (of a vector) and CHAINS_TARGET (attributes of the function). GCC's vector extension compiles for
 * any target. */
typedef double CHAINS_VECTOR __attribute__((vector_size(CHAINS_BYTES)));

CHAINS_TARGET static double CHAINS_NAME(uint64_t steps, double x, double y)
{
    enum { WIDTH = CHAINS_BYTES / (int)sizeof(double) };
    CHAINS_VECTOR v[MPG_CHAINS], xs, ys;
    double sum = 0;
    for (int e = 0; e < WIDTH; e++) {
        xs[e] = x;
        ys[e] = y;
        for (int k = 0; k < MPG_CHAINS; k++)
            v[k][e] = 1 + (k * WIDTH + e) / 128.0;
    }
    for (uint64_t i = 0; i < steps; i++) {
#pragma GCC unroll 12
        for (int k = 0; k < MPG_CHAINS; k++)
            v[k] = v[k] * xs + ys;
    }
    for (int k = 0; k < MPG_CHAINS; k++)
        for (int e = 0; e < WIDTH; e++)
            sum += v[k][e];
    return sum;
}
#undef CHAINS_VECTOR
#undef CHAINS_NAME
#undef CHAINS_BYTES
#undef CHAINS_TARGET
