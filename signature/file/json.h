/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common functions for reading and writing signatures as JSON. Functions named get leave *VALUE unchanged if the key is absent;
 * functions named need then fail. Errors name the key; callers prefix the key's location. All functions return 0, or -1 with
 * ERR. */
#ifndef MPG_SIGNATURE_JSON_H
#define MPG_SIGNATURE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "common/table/json.h"
#include "signature/signature.h"

#define MPG_SIGNATURE_FORMAT "mpgkit-signature"

/* ---- reading: json_get.c ---- */

/* Stores OBJECT's member KEY in *MEMBER; NULL if absent. Errors: the member has another type than TYPE. */
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
/* A whole number from MIN to INT32_MAX. */
int mpg_json_get_count(const json_t *object, const char *key, int min, int *value,
                       struct mpg_error *err);
int mpg_json_need_count(const json_t *object, const char *key, int min, int *value,
                        struct mpg_error *err);
int mpg_json_get_flag(const json_t *object, const char *key, bool *value, struct mpg_error *err);
/* A copy of the string, for the caller to free. */
int mpg_json_get_text(const json_t *object, const char *key, char **text, struct mpg_error *err);
int mpg_json_need_text(const json_t *object, const char *key, char **text, struct mpg_error *err);
/* The numbers of array KEY, at most MAX, in an array for the caller to free; NULL and 0 if absent. */
int mpg_json_get_numbers(const json_t *object, const char *key, size_t max, double **values,
                         size_t *n, struct mpg_error *err);
/* The members of object KEY, which must be strings, in file order; at most MAX. */
int mpg_json_get_facts(const json_t *object, const char *key, size_t max,
                       struct mpg_fact **fact, size_t *n, struct mpg_error *err);
int mpg_json_get_distribution(const json_t *object, const char *key,
                              struct mpg_distribution **distribution, struct mpg_error *err);
int mpg_json_need_distribution(const json_t *object, const char *key,
                               struct mpg_distribution **distribution, struct mpg_error *err);
/* Converts OBJECT to a distribution. */
int mpg_json_to_distribution(const json_t *object, struct mpg_distribution **distribution,
                             struct mpg_error *err);

/* An array of JSON objects, with memory for the structs that the reader fills. */
struct mpg_json_list {
    const json_t *array;
    size_t n;
    void *memory; /* N zeroed elements, owned by the caller; NULL if N is 0 */
};

/* Reads array KEY of at most MAX objects into LIST, and allocates an element of SIZE bytes for each. */
int mpg_json_get_list(const json_t *object, const char *key, size_t max, size_t size,
                      struct mpg_json_list *list, struct mpg_error *err);

/* ---- reading: parts of a signature ---- */

int mpg_read_noise(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);
/* MAJOR: version of the file. Version 1 has a single path, with the path class in the header. */
int mpg_read_network(const json_t *root, int major, struct mpg_signature *sig,
                     struct mpg_error *err);
int mpg_read_collectives(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);
int mpg_read_sharing(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);
int mpg_read_compute(const json_t *root, struct mpg_signature *sig, struct mpg_error *err);

/* ---- writing, MPG_JSON_RECORD: json_put.c ---- */

void mpg_json_put_facts(struct mpg_json *out, const char *key, const struct mpg_fact *fact,
                        size_t n);
/* Writes nothing if D is NULL. */
void mpg_json_put_distribution(struct mpg_json *out, const char *key,
                               const struct mpg_distribution *d);

/* ---- writing: parts of a signature ---- */

/* As mpg_signature_write(), but SIG has been checked already. */
int mpg_signature_put(const struct mpg_signature *sig, FILE *stream, struct mpg_error *err);

/* Errors: a truncated record of detours that cannot be packed, out of memory. */
int mpg_write_noise(struct mpg_json *out, const struct mpg_signature *sig, struct mpg_error *err);
void mpg_write_network(struct mpg_json *out, const struct mpg_signature *sig);
void mpg_write_collectives(struct mpg_json *out, const struct mpg_signature *sig);
void mpg_write_sharing(struct mpg_json *out, const struct mpg_signature *sig);
void mpg_write_compute(struct mpg_json *out, const struct mpg_signature *sig);

#endif
