#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes ./configure from configure.ac; needs autoconf, automake, libtool and
# pkg-config. Run it once after a clone and after changing configure.ac.
set -e
cd "$(dirname "$0")"
mkdir -p m4
exec autoreconf --install --force
