/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/cache/siphash.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the key --- */

/* Makes the folder for the key file, with parent folders, and writes the key file's name to PATH of SIZE bytes. Returns false on
 * failure. */
static bool make_folder(char *path, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const int n = state && *state == '/' ? snprintf(path, size, "%s/mpgkit", state)
                  : home && *home == '/' ? snprintf(path, size, "%s/.local/state/mpgkit", home)
                                         : -1;
    if (n < 0 || (size_t)n >= size)
        return false;
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        (void)mkdir(path, 0700);
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool read_key(const char *path, uint8_t *key)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    struct stat st;
    const bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
                      (st.st_mode & 077) == 0 && st.st_size == MPG_SIPHASH_KEY_BYTES &&
                      pread(fd, key, MPG_SIPHASH_KEY_BYTES, 0) == MPG_SIPHASH_KEY_BYTES;
    if (fd >= 0)
        close(fd);
    return good;
}

/* Makes the key file. If several processes make the key file at a time, one succeeds, and the file is complete. */
static void make_key(const char *path)
{
    uint8_t key[MPG_SIPHASH_KEY_BYTES];
    char temporary[4200];
    if (getrandom(key, sizeof key, 0) != sizeof key ||
        snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return;
    const int fd = mkstemp(temporary); /* mkstemp() sets mode 0600: only the user can read the key */
    if (fd < 0)
        return;
    const bool whole = write(fd, key, sizeof key) == sizeof key;
    if (close(fd) == 0 && whole)
        (void)link(temporary, path);
    (void)unlink(temporary);
}

bool mpg_siphash_key(uint8_t key[MPG_SIPHASH_KEY_BYTES])
{
    char folder[4000], path[4100];
    if (!make_folder(folder, sizeof folder))
        return false;
    snprintf(path, sizeof path, "%s/key", folder);
    if (read_key(path, key))
        return true;
    make_key(path);
    return read_key(path, key);
}

/* --- the digest --- */

static uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], int n)
{
    for (; n > 0; n--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32) + v[3];
        v[2] += v[1];
        v[3] = turn(v[3], 21) ^ v[0];
        v[1] = turn(v[1], 17) ^ v[2];
        v[2] = turn(v[2], 32);
    }
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return le64toh(word);
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint64_t mpg_siphash(const uint8_t key[MPG_SIPHASH_KEY_BYTES], const void *data, size_t size)
{
    const uint8_t *p = data;
    const uint64_t k0 = word_at(key), k1 = word_at(key + 8);
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573};
    uint8_t last[8] = {0};
    size_t left = size;
    for (; left >= 8; left -= 8, p += 8)
        take(v, word_at(p));
    if (left > 0)
        memcpy(last, p, left);
    last[7] = (uint8_t)size;
    take(v, word_at(last));
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
