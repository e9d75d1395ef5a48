/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the vector instruction set for code compiled for several instruction sets. */
#ifndef MPG_ISA_H
#define MPG_ISA_H

enum mpg_isa {
    MPG_ISA_BASE, /* the compiler's default: SSE2 on x86-64, NEON on AArch64 */
    MPG_ISA_AVX2,
    MPG_ISA_AVX512, /* AVX-512 F, DQ, BW and VL */
    MPG_ISAS
};

/* Returns the best instruction set of this processor and operating system, limited by the environment variable MPGKIT_ISA
 * ("base", "sse2", "avx2" or "avx512"). Thread-safe. */
enum mpg_isa mpg_isa(void);
/* Returns "base", "avx2" or "avx512". */
const char *mpg_isa_name(enum mpg_isa isa);

#endif
