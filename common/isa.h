/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which vector instructions a program may use, where code is compiled for several of them. */
#ifndef MPG_ISA_H
#define MPG_ISA_H

enum mpg_isa {
    MPG_ISA_BASE, /* what the compiler may assume anyway: SSE2 on x86-64, NEON on AArch64 */
    MPG_ISA_AVX2,
    MPG_ISA_AVX512, /* F, DQ, BW and VL */
    MPG_ISAS
};

/* The best of this processor and operating system; no better than the environment variable
 * MPGKIT_ISA says, where it is one of "base", "sse2", "avx2", "avx512". Thread-safe. */
enum mpg_isa mpg_isa(void);
/* "base", "avx2", "avx512" */
const char *mpg_isa_name(enum mpg_isa isa);

#endif
