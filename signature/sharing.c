/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capacity of a port or of a memory that several pairs of ranks share. */
#include <math.h>

#include "signature/signature.h"

/* Returns point I of SIG if the point belongs to the curve of PATH in one direction with SIZE_BYTES (the largest measured size);
 * else NULL. */
static const struct mpg_sharing_point *point_of(const struct mpg_signature *sig, size_t i, enum mpg_path_class path,
                                                int64_t size_bytes)
{
    const struct mpg_sharing_point *p = &sig->sharing[i];
    return p->path == path && !p->both && p->size_bytes == size_bytes ? p : NULL;
}

/* Returns the largest size of streams measured on PATH in one direction; -1: not measured. */
static int64_t largest_size(const struct mpg_signature *sig, enum mpg_path_class path)
{
    int64_t largest = -1;
    for (size_t i = 0; i < sig->sharings; i++)
        if (sig->sharing[i].path == path && !sig->sharing[i].both &&
            sig->sharing[i].size_bytes > largest)
            largest = sig->sharing[i].size_bytes;
    return largest;
}

double mpg_signature_capacity(const struct mpg_signature *sig, enum mpg_path_class path, int flows)
{
    const int64_t size_bytes = largest_size(sig, path);
    const struct mpg_sharing_point *below = NULL, *above = NULL;
    for (size_t i = 0; i < sig->sharings && size_bytes >= 0; i++) { /* points ascend in pairs */
        const struct mpg_sharing_point *p = point_of(sig, i, path, size_bytes);
        if (p && p->pairs <= flows)
            below = p;
        else if (p && !above)
            above = p;
    }
    if (!below && !above)
        return INFINITY;
    const double low = mpg_distribution_quantile(below ? below->value : above->value, 0.5);
    if (!below || !above)
        return low;
    const double high = mpg_distribution_quantile(above->value, 0.5);
    return low + (high - low) * (flows - below->pairs) / (above->pairs - below->pairs);
}

int mpg_signature_capacity_pairs(const struct mpg_signature *sig, enum mpg_path_class path)
{
    const int64_t size_bytes = largest_size(sig, path);
    int most = 0;
    for (size_t i = 0; i < sig->sharings && size_bytes >= 0; i++) {
        const struct mpg_sharing_point *p = point_of(sig, i, path, size_bytes);
        most = p && p->pairs > most ? p->pairs : most;
    }
    return most;
}

size_t mpg_signature_curve_points(const struct mpg_signature *sig, size_t first)
{
    const struct mpg_sharing_point *p = &sig->sharing[first];
    size_t n = 1;
    while (first + n < sig->sharings && p[n].path == p->path && p[n].both == p->both && p[n].size_bytes == p->size_bytes)
        n++;
    return n;
}
