/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among the instruction sets that were compiled for. */
#include "config.h"
#include "simulate/where/lane_sums.h"

#include <stdatomic.h>
#include <stddef.h>

#include "common/isa.h"

extern const struct mpg_lane_sums mpg_lane_sums_base;
#ifdef MPG_LANE_CODE_X86
extern const struct mpg_lane_sums mpg_lane_sums_avx2, mpg_lane_sums_avx512;
#endif

static const struct mpg_lane_sums *of(enum mpg_isa isa)
{
#ifdef MPG_LANE_CODE_X86
    if (isa == MPG_ISA_AVX512)
        return &mpg_lane_sums_avx512;
    if (isa == MPG_ISA_AVX2)
        return &mpg_lane_sums_avx2;
#endif
    (void)isa;
    return &mpg_lane_sums_base;
}

const struct mpg_lane_sums *mpg_lane_sums(void)
{
    static const struct mpg_lane_sums *_Atomic chosen;
    const struct mpg_lane_sums *code = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!code) {
        code = of(mpg_isa());
        atomic_store_explicit(&chosen, code, memory_order_relaxed);
    }
    return code;
}
