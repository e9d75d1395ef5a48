/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of mpgsim that a stored run may contain: all options that affect the answer. No listed option names a file to
 * write. Also the options' names in earlier versions, which stored runs may contain. */
#include <string.h>

#include "history/history.h"

static const char *const kept[] = {
    "absorb",    "against", "byte",    "call-noise", "collectives", "compute-ratio", "contention", "cores", "csv",
    "eager-limit", "from",    "horizon", "json",       "latency",     "hypothesis",    "lenient",    "map",   "models",
    "noise",     "paper",   "per-rank", "perturb",   "polling",     "predict",       "replicas",   "seed",  "signature",
    "source",    "sweep",   "target",  "tasks",      "tolerate",    "until",         "verbose",    "waits", "where",
    "without",   "without-noise",
};

bool mpg_history_stores_option(const char *option)
{
    const size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strlen(kept[i]) == length && memcmp(kept[i], option, length) == 0)
            return true;
    return false;
}

const struct mpg_option_renamed mpg_history_renamed_options[] = {{"blocking-get", "target=get=blocking"},
                                                                 {"byte-model=", "models=byte="},
                                                                 {"call-edges=paper", "paper=call-edges"},
                                                                 {"call-edges=own", "paper=own-edges"},
                                                                 {"carried=none", "without=weak-progress"},
                                                                 {"carried=shown", NULL},
                                                                 {"collective-table=", "collectives=table="},
                                                                 {"cosched=", "models=cosched="},
                                                                 {"critical-path", "where=path"},
                                                                 {"deterministic", "without=choice"},
                                                                 {"engine=", "target=engine="},
                                                                 {"first-replica=", "replicas=first="},
                                                                 {"floors=", "cache="},
                                                                 {"ideal", "target=ideal"},
                                                                 {"keep-tracer", "without=tracer"},
                                                                 {"latency-model=", "models=latency="},
                                                                 {"measurement=", "models=measurement="},
                                                                 {"noise-model=", "models=noise="},
                                                                 {"parameter=", "target="},
                                                                 {"path=", "map=path="},
                                                                 {"polling-interval=", "polling=interval="},
                                                                 {"segments=", "where=segments="},
                                                                 {"source-byte=", "source=byte="},
                                                                 {"source-eager-limit=", "source=eager-limit="},
                                                                 {"source-latency=", "source=latency="},
                                                                 {"source-map=", "source=map="},
                                                                 {"suppose=", "hypothesis="},
                                                                 {"sync-reduce", "paper=sync-reduce"},
                                                                 {"target=engine=lanes", "target=engine=graph"},
                                                                 {"timeline-calls=", "timeline=calls="},
                                                                 {"timeline-ranks=", "timeline=ranks="},
                                                                 {"waits-by=", "waits="},
                                                                 {"wall", "target=work=wall"},
                                                                 {"without=carried", "without=weak-progress"},
                                                                 {NULL, NULL}};
