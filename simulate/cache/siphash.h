/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Digests proving this user as the writer of a file, because only the user knows the key. */
#ifndef MPG_SIPHASH_H
#define MPG_SIPHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPG_SIPHASH_KEY_BYTES = 16 };

/* Reads the user's key from $XDG_STATE_HOME/mpgkit/key (default ~/.local/state/mpgkit/key), or creates this file with a new key.
 * Returns false on failure, or if other users can access the file. */
bool mpg_siphash_key(uint8_t key[MPG_SIPHASH_KEY_BYTES]);

/* Returns SipHash-2-4 of SIZE bytes (J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, 2012). */
uint64_t mpg_siphash(const uint8_t key[MPG_SIPHASH_KEY_BYTES], const void *data, size_t size);

#endif
