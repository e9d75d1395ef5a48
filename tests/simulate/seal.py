# SPDX-License-Identifier: GPL-3.0-or-later
"""SipHash-2-4, and bodies sealed with the key of mpgsim's user: a cache of a trace with a valid digest."""
import os
import struct

MASK = 2**64 - 1


def turn(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def siphash(key, data):
    k = struct.unpack("<2Q", key)
    v = [k[0] ^ 0x736F6D6570736575, k[1] ^ 0x646F72616E646F6D, k[0] ^ 0x6C7967656E657261, k[1] ^ 0x7465646279746573]

    def rounds(n):
        for _ in range(n):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = turn(v[1], 13) ^ v[0]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = turn(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = turn(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = turn(v[1], 17) ^ v[2]
            v[2] = turn(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 255
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


# The example of the paper's appendix A.
assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


def sealed(body, folder=None):
    """Returns BODY and its digest under the key in FOLDER, by default in XDG_STATE_HOME."""
    with open(os.path.join(folder or os.environ["XDG_STATE_HOME"], "mpgkit", "key"), "rb") as key:
        return body + struct.pack("<Q", siphash(key.read(), body))
