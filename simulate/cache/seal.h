/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests that prove who wrote a file: only the user knows the key. */
#ifndef MPG_SEAL_H
#define MPG_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPG_SEAL_KEY_BYTES = 16 };

/* Reads the user's key from $XDG_STATE_HOME/mpgkit/key (default ~/.local/state/mpgkit/key), or makes one. false: impossible,
 * or the file is accessible to other users. */
bool mpg_seal_key(uint8_t key[MPG_SEAL_KEY_BYTES]);

/* SipHash-2-4 of SIZE bytes (J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, 2012). */
uint64_t mpg_seal(const uint8_t key[MPG_SEAL_KEY_BYTES], const void *data, size_t size);

#endif
