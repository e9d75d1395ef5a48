/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files share that read and write signatures as JSON.
 *
 * Readers: a key that is absent leaves *VALUE as it is, unless the name says
 * that it is needed. Errors name the key; callers put its place in front. */
#ifndef MPG_SIGNATURE_JSON_H
#define MPG_SIGNATURE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "common/table/json.h"
#include "signature/signature.h"

#define MPG_SIGNATURE_FORMAT "mpgkit-signature"

/* ---- reading: json_get.c ---- */

/* OBJECT's member KEY, which must be of TYPE; *MEMBER is NULL when it is absent. */
int mpg_json_get(const json_t *object, const char *key, json_type type, const json_t **member,
                 struct mpg_error *err);
int mpg_json_get_number(const json_t *object, const char *key, double *value,
                        struct mpg_error *err);
int mpg_json_need_number(const json_t *object, const char *key, double *value,
                         struct mpg_error *err);
int mpg_json_get_integer(const json_t *object, const char *key, int64_t *value,
                         struct mpg_error *err);
int mpg_json_need_integer(const json_t *object, const char *key, int64_t *value,
                          struct mpg_error *err);
/* A count or number of something, within LEAST..INT32_MAX. */
int mpg_json_get_count(const json_t *object, const char *key, int least, int *value,
                       struct mpg_error *err);
int mpg_json_need_count(const json_t *object, const char *key, int least, int *value,
                        struct mpg_error *err);
int mpg_json_get_flag(const json_t *object, const char *key, bool *value, struct mpg_error *err);
/* A copy of a string, which the caller frees. */
int mpg_json_get_text(const json_t *object, const char *key, char **text, struct mpg_error *err);
int mpg_json_need_text(const json_t *object, const char *key, char **text, struct mpg_error *err);
/* The numbers of array KEY, at most MOST of them, in memory the caller frees;
 * absent means none. */
int mpg_json_get_numbers(const json_t *object, const char *key, size_t most, double **values,
                         size_t *n, struct mpg_error *err);
/* The members of object KEY, all strings, in the file's order, at most MOST. */
int mpg_json_get_facts(const json_t *object, const char *key, size_t most,
                       struct mpg_fact **fact, size_t *n, struct mpg_error *err);
int mpg_json_get_distribution(const json_t *object, const char *key,
                              struct mpg_distribution **distribution, struct mpg_error *err);
int mpg_json_need_distribution(const json_t *object, const char *key,
                               struct mpg_distribution **distribution, struct mpg_error *err);
/* OBJECT as a distribution. */
int mpg_json_to_distribution(const json_t *object, struct mpg_distribution **distribution,
                             struct mpg_error *err);

/* An array of objects, and room for what they say. */
struct mpg_json_list {
    const json_t *array;
    size_t n;
    void *memory; /* N elements, all zero, the caller's; NULL without any */
};

/* Array KEY of at most MOST objects, each to become an element of SIZE bytes. */
int mpg_json_get_list(const json_t *object, const char *key, size_t most, size_t size,
                      struct mpg_json_list *list, struct mpg_error *err);

/* ---- reading: the areas ---- */

int mpg_read_noise(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);
/* MAJOR is the file's version: version 1 has one path, whose class its header says. */
int mpg_read_network(const json_t *root, int major, struct mpg_signature *sig,
                     struct mpg_error *err);
int mpg_read_collectives(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);
int mpg_read_compute(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);

/* ---- writing, MPG_JSON_RECORD: json_put.c ---- */

void mpg_json_put_facts(struct mpg_json *out, const char *key, const struct mpg_fact *fact,
                        size_t n);
/* Writes nothing when D is NULL. */
void mpg_json_put_distribution(struct mpg_json *out, const char *key,
                               const struct mpg_distribution *d);

/* ---- writing: the areas ---- */

/* As mpg_signature_write(), of a SIG that is not checked. */
int mpg_signature_put(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);

/* Errors: a record in part that cannot be packed, out of memory. */
int mpg_write_noise(struct mpg_json *out, const struct mpg_signature *sig, struct mpg_error *err);
void mpg_write_network(struct mpg_json *out, const struct mpg_signature *sig);
void mpg_write_collectives(struct mpg_json *out, const struct mpg_signature *sig);
void mpg_write_compute(struct mpg_json *out, const struct mpg_signature *sig);

#endif
