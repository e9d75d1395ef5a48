/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among the instruction sets that were compiled for. */
#include "config.h"
#include "simulate/draws/lane_code.h"

#include <stdatomic.h>
#include <stddef.h>

extern const struct mpg_lane_code mpg_lane_code_base;
#ifdef MPG_LANE_CODE_X86
extern const struct mpg_lane_code mpg_lane_code_avx2, mpg_lane_code_avx512;
#endif

const struct mpg_lane_code *mpg_lane_code_of(enum mpg_isa isa)
{
    switch (isa) {
    case MPG_ISA_BASE:
        return &mpg_lane_code_base;
#ifdef MPG_LANE_CODE_X86
    case MPG_ISA_AVX2:
        return &mpg_lane_code_avx2;
    case MPG_ISA_AVX512:
        return &mpg_lane_code_avx512;
#endif
    default:
        return NULL;
    }
}

const struct mpg_lane_code *mpg_lane_code(void)
{
    static const struct mpg_lane_code *_Atomic chosen;
    const struct mpg_lane_code *code = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (code)
        return code;
    for (enum mpg_isa isa = mpg_isa(); !code; isa--)
        code = mpg_lane_code_of(isa);
    atomic_store_explicit(&chosen, code, memory_order_relaxed);
    return code;
}
