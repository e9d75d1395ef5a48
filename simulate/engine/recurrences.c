/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choosing among the instruction sets that were compiled for. */
#include "config.h"
#include "simulate/engine/recurrences.h"

#include <stdatomic.h>
#include <stddef.h>

extern const struct mpg_recurrences mpg_recurrences_base;
#ifdef MPG_LANE_CODE_X86
extern const struct mpg_recurrences mpg_recurrences_avx2, mpg_recurrences_avx512;
#endif

static const struct mpg_recurrences *of(enum mpg_isa isa)
{
#ifdef MPG_LANE_CODE_X86
    if (isa == MPG_ISA_AVX512)
        return &mpg_recurrences_avx512;
    if (isa == MPG_ISA_AVX2)
        return &mpg_recurrences_avx2;
#endif
    (void)isa;
    return &mpg_recurrences_base;
}

const struct mpg_recurrences *mpg_recurrences(void)
{
    static const struct mpg_recurrences *_Atomic chosen;
    const struct mpg_recurrences *code = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!code) {
        code = of(mpg_isa());
        atomic_store_explicit(&chosen, code, memory_order_relaxed);
    }
    return code;
}
