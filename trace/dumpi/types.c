/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of datatypes, computed from the calls that make types. */
#include "trace/dumpi/types.h"

#include <string.h>

/* Predefined types, by number from 0: error, null, char, signed char, unsigned char, byte, wchar, short, unsigned short, int,
 * unsigned, long, unsigned long, float, double, long double, long long int, unsigned long long, long long, packed, LB, UB, float
 * int, double int, long int, short int, 2int, long double int. */
static const uint8_t predefined[] = {0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

int64_t mpg_dumpi_type_size(const struct dumpi_types *t, const struct dumpi_file *f, int64_t type)
{
    if (type >= 0 && (uint64_t)type < f->sizes.n)
        return f->sizes.at[type] >= 0 ? f->sizes.at[type] : -1;
    if (type >= 0 && (size_t)type < sizeof predefined)
        return predefined[type];
    const uint64_t *size = mpg_map_find(&t->sizes, (uint64_t)type, 0);
    return size ? (int64_t)*size - 1 : -1;
}

static int64_t sum_of(const struct dumpi_list *l)
{
    int64_t sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += l->at[i] > 0 ? l->at[i] : 0;
    return sum;
}

static int64_t product_of(const struct dumpi_list *l)
{
    int64_t product = 1;
    for (size_t i = 0; i < l->n; i++)
        product = l->at[i] <= 0 || product > INT32_MAX ? 0 : product * l->at[i];
    return product;
}

/* R is an MPI_Type_struct or the like. Returns the size of the new type in bytes; -1: unknown, or too large. */
static int64_t struct_size(const struct dumpi_types *t, const struct dumpi_file *f, const struct dumpi_record *r)
{
    const struct dumpi_list *lengths = &r->lists[0], *types = &r->lists[2];
    int64_t sum = 0;
    for (size_t i = 0; i < lengths->n && i < types->n; i++) {
        const int64_t size = mpg_dumpi_type_size(t, f, types->at[i]);
        if (size < 0 || size > INT32_MAX || sum > INT64_MAX / 4)
            return -1;
        sum += size * (lengths->at[i] > 0 ? lengths->at[i] : 0);
    }
    return sum;
}

/* If R makes a datatype from one old type, returns how many elements of the old type form the new type; else -1. *OLD: index
 * of the scalar argument of R that names the old type; the last scalar names the new type. */
static int64_t elements_of(const struct dumpi_record *r, const char *name, int *old)
{
    const int64_t *s = r->scalars;
    *old = r->scalar_number - 2;
    if (strcmp(name, "Type_contiguous") == 0)
        return s[0];
    if (strcmp(name, "Type_vector") == 0 || strcmp(name, "Type_hvector") == 0 || strcmp(name, "Type_create_hvector") == 0)
        return s[0] > 0 && s[1] > 0 ? s[0] * s[1] : 0;
    if (strcmp(name, "Type_indexed") == 0 || strcmp(name, "Type_hindexed") == 0 || strcmp(name, "Type_create_hindexed") == 0)
        return sum_of(&r->lists[0]);
    if (strcmp(name, "Type_create_indexed_block") == 0)
        return s[0] > 0 && s[1] > 0 ? s[0] * s[1] : 0;
    if (strcmp(name, "Type_create_subarray") == 0)
        return product_of(&r->lists[1]);
    if (strcmp(name, "Type_dup") == 0)
        return 1;
    if (strcmp(name, "Type_create_resized") == 0) {
        *old = 0;
        return 1;
    }
    return -1;
}

bool mpg_dumpi_types_learn(struct dumpi_types *t, const struct dumpi_file *f, const struct dumpi_record *r)
{
    const char *name = mpg_dumpi_layouts[r->function].name;
    int old = 0;
    if (*name != 'T' || strncmp(name, "Type_", 5) != 0 || r->scalar_number < 2)
        return true;
    const bool is_struct = strcmp(name, "Type_struct") == 0 || strcmp(name, "Type_create_struct") == 0;
    const int64_t elements = is_struct ? 1 : elements_of(r, name, &old);
    if (elements < 0)
        return true;
    const int64_t size = is_struct ? struct_size(t, f, r) : mpg_dumpi_type_size(t, f, r->scalars[old]);
    const __int128 bytes = (__int128)elements * size;
    uint64_t *slot = mpg_map_add(&t->sizes, (uint64_t)r->scalars[r->scalar_number - 1], 0);
    if (!slot)
        return false;
    *slot = size < 0 || bytes > INT64_MAX / 4 ? 0 : (uint64_t)bytes + 1;
    return true;
}
