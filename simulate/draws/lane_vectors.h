/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors of lanes, as wide as the registers of the instruction set. */
#ifndef MPG_LANE_VECTORS_H
#define MPG_LANE_VECTORS_H

#include <stdint.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#endif

#if defined __AVX512F__
enum { WIDE_BYTES = 64 };
#elif defined __AVX2__
enum { WIDE_BYTES = 32 };
#else
enum { WIDE_BYTES = 16 };
#endif
enum { WIDE = WIDE_BYTES / sizeof(double), ALL = (1 << WIDE) - 1 };
typedef uint64_t words __attribute__((vector_size(WIDE_BYTES)));
typedef double reals __attribute__((vector_size(WIDE_BYTES)));

static inline words words_of(uint64_t x)
{
    return x - (words){0};
}

static inline reals reals_of(double x)
{
    return x - (reals){0};
}

static inline reals load(const double *x)
{
    reals v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void store(double *x, reals v)
{
    memcpy(x, &v, sizeof v);
}

/* Returns the products of the lower halves of A and B. */
static inline words product(words a, words b)
{
#if defined __AVX512F__
    return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined __AVX2__
    return (words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined __SSE2__
    return (words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* Returns a bit for each lane of MASK, the result of a comparison. */
static inline uint32_t bits_of(words mask)
{
#if defined __AVX512F__
    return _mm512_movepi64_mask((__m512i)mask);
#elif defined __AVX2__
    return (uint32_t)_mm256_movemask_pd((__m256d)mask);
#elif defined __SSE2__
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < WIDE; i++)
        bits |= (uint32_t)(mask[i] & 1) << i;
    return bits;
#endif
}

/* Returns a bit for each lane in which X is greater than FROM and less than TO. */
static inline uint32_t bits_between(reals from, reals x, reals to)
{
#if defined __AVX512F__
    return _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask((__m512d)from, (__m512d)x, _CMP_LT_OQ), (__m512d)x, (__m512d)to,
                                   _CMP_LT_OQ);
#else
    return bits_of((words)(from < x) & (words)(x < to));
#endif
}

/* Return the smaller, and the larger, of A and B; B if they are not ordered. */
static inline reals lesser(reals a, reals b)
{
#if defined __AVX512F__
    return (reals)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined __AVX2__
    return (reals)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (reals)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    const words less = (words)(a < b);
    return (reals)(((words)a & less) | ((words)b & ~less));
#endif
}

static inline reals greater(reals a, reals b)
{
#if defined __AVX512F__
    return (reals)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined __AVX2__
    return (reals)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined __SSE2__
    return (reals)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    const words more = (words)(a > b);
    return (reals)(((words)a & more) | ((words)b & ~more));
#endif
}

#endif
