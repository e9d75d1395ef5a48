/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of mpgsim that belong to a kept run: those on which its answer depends. None of them names a file to write. */
#include <string.h>

#include "history/history.h"

static const char *const kept[] = {
    "absorb",         "against",       "blocking-get",  "byte",         "byte-model",       "call-edges",
    "call-noise",     "carried",       "collective-table", "collectives", "compute-ratio",  "cosched",
    "critical-path",  "csv",           "deterministic", "eager-limit",  "engine",           "first-replica",
    "horizon",        "hypothesis",    "ideal",         "json",         "keep-tracer",      "latency",
    "latency-model",  "lenient",       "map",           "measurement",  "noise",            "noise-model",
    "parameter",      "path",          "per-rank",      "polling",      "polling-interval", "predict",
    "replicas",       "seed",          "segments",      "signature",    "source",           "source-byte",
    "source-eager-limit", "source-latency", "source-map", "suppose",    "sweep",            "sync-reduce",
    "target",         "tolerate",      "waits",         "waits-by",     "wall",             "where",
    "without",
};

bool mpg_history_keeps(const char *option)
{
    const size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strlen(kept[i]) == length && memcmp(kept[i], option, length) == 0)
            return true;
    return false;
}
