/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: rows, facts and call sites of every rank. */
#include "tests/fuzz/fuzz.h"
#include "trace/profile/profile.h"

static void read_sites(const struct mpg_profile *p, const struct mpg_profile_rank *rank)
{
    const char *key, *value;
    for (size_t i = 0; mpg_profile_fact(p, i, &key, &value); i++)
        fprintf(fuzz_nowhere(), "%s %s\n", key, value);
    for (size_t i = 0; i < rank->row_number; i++) {
        if (rank->rows[i].site < 0)
            continue;
        const struct mpg_site *site = mpg_profile_site(p, rank->rows[i].site);
        for (uint32_t j = 0; j < site->frame_number; j++)
            if (site->frames[j].module >= 0)
                fprintf(fuzz_nowhere(), "%s\n", mpg_profile_module(p, site->frames[j].module)->path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpg_error err = {""};
    struct mpg_profile_rank rank;
    int more = 0;
    struct mpg_profile *p = mpg_profile_open(fuzz_file(data, size), &err);
    while (p && (more = mpg_profile_next(p, &rank, &err)) > 0)
        read_sites(p, &rank);
    if (!p || more < 0)
        fuzz_check_error(&err);
    mpg_profile_close(p);
    return 0;
}
