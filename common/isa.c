/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects the instruction sets of the processor, and reads the environment variable MPGKIT_ISA, which chooses an instruction
 * set. */
#include "common/isa.h"

#include <stdlib.h>
#include <string.h>

static enum mpg_isa best(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return MPG_ISA_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return MPG_ISA_AVX2;
#endif
    return MPG_ISA_BASE;
}

static enum mpg_isa wanted(void)
{
    const char *text = getenv("MPGKIT_ISA");
    if (text && (strcmp(text, "base") == 0 || strcmp(text, "sse2") == 0))
        return MPG_ISA_BASE;
    if (text && strcmp(text, "avx2") == 0)
        return MPG_ISA_AVX2;
    return MPG_ISA_AVX512;
}

enum mpg_isa mpg_isa(void)
{
    enum mpg_isa max = wanted(), there = best();
    return there < max ? there : max;
}

const char *mpg_isa_name(enum mpg_isa isa)
{
    return isa == MPG_ISA_AVX512 ? "avx512" : isa == MPG_ISA_AVX2 ? "avx2" : "base";
}
