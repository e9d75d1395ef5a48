/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of messages at any size, as measured or of the families fitted to them: between the sizes
 * measured, and above the greatest with a slope (docs/MODEL.md, section 3, Flights). */
#ifndef MPG_WAYS_H
#define MPG_WAYS_H

#include "simulate/models/path_fits.h"
#include "simulate/models/sizes.h"

/* Times at a size between two of those measured. */
struct mpg_way_place {
    struct mpg_spot spot;
    const struct mpg_fitted *low, *high; /* NULL: as measured */
};

struct mpg_way {
    struct mpg_way_place place;
    double more_ns; /* >= 0, of the bytes above the greatest size */
};

/* Of BYTES >= 0 among SIZES, not empty, which have FITS (NULL: which are taken as measured). */
struct mpg_way_place mpg_way_place_find(const struct mpg_network_sizes *sizes,
                                        const struct mpg_fitted *fits, double bytes);
/* The same; above the greatest of SIZES with the slope of the medians of SLOPE's two greatest sizes, if
 * it has two. */
struct mpg_way mpg_way_find(const struct mpg_network_sizes *sizes, const struct mpg_fitted *fits,
                            const struct mpg_network_sizes *slope, double bytes);
/* One-way times of BYTES on PATH, which has some: its latencies, or, if it has none, its transfers, as FITS has them (NULL: as
 * measured); above the greatest size with the slope of transfers, if there are two sizes of these. */
struct mpg_way mpg_way_on_path(const struct mpg_network_path *path, const struct mpg_path_fits *fits, double bytes);
/* At probability U of the launch at LAUNCH, as mpg_size_quantile(); fits know no launches. */
double mpg_way_ns(const struct mpg_way *way, double launch, double u);

/* The same in lanes, into NS. */
void mpg_way_place_times(const struct mpg_way_place *place, const struct mpg_wanted *asked,
                         double *ns);
void mpg_way_times(const struct mpg_way *way, const struct mpg_wanted *asked, double *ns);

#endif
