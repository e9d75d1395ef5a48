/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects a function table among tables compiled for different instruction sets (common/isa.h): NAME_base and, on x86-64,
 * NAME_avx2 and NAME_avx512. Include from the .c file defining the selection, after config.h. */
#ifndef MPG_ISA_CHOICE_H
#define MPG_ISA_CHOICE_H

#include <stdatomic.h>
#include <stddef.h>

#include "common/isa.h"

#ifdef MPG_LANE_CODE_X86
#define MPG_ISA_DECLARE(NAME) extern const struct NAME NAME##_base, NAME##_avx2, NAME##_avx512
#define MPG_ISA_BETTER(NAME) [MPG_ISA_AVX2] = &NAME##_avx2, [MPG_ISA_AVX512] = &NAME##_avx512
#else
#define MPG_ISA_DECLARE(NAME) extern const struct NAME NAME##_base
#define MPG_ISA_BETTER(NAME) [MPG_ISAS - 1] = NULL
#endif

/* Defines two functions. NAME_of() returns the struct NAME for an instruction set, or NULL if not compiled for this set. NAME()
 * returns the struct NAME for the best instruction set up to mpg_isa(), and caches the result. Both are thread-safe. */
#define MPG_ISA_CHOICE(NAME, STORAGE_OF)                                                       \
    MPG_ISA_DECLARE(NAME);                                                                     \
    STORAGE_OF const struct NAME *NAME##_of(enum mpg_isa isa)                                  \
    {                                                                                          \
        static const struct NAME *const table[MPG_ISAS] = {[MPG_ISA_BASE] = &NAME##_base,      \
                                                           MPG_ISA_BETTER(NAME)};              \
        return table[isa];                                                                     \
    }                                                                                          \
    const struct NAME *NAME(void)                                                              \
    {                                                                                          \
        static const struct NAME *_Atomic chosen;                                              \
        const struct NAME *code = atomic_load_explicit(&chosen, memory_order_relaxed);         \
        if (code)                                                                              \
            return code;                                                                       \
        for (enum mpg_isa isa = mpg_isa(); !code; isa--)                                       \
            code = NAME##_of(isa);                                                             \
        atomic_store_explicit(&chosen, code, memory_order_relaxed);                            \
        return code;                                                                           \
    }                                                                                          \
    MPG_ISA_DECLARE(NAME)

#endif
