/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulate/evaluate/first.h"

static void key_of(struct mpg_bytes *key, const struct mpg_course *course, bool comparable,
                   const struct mpg_floors *floors, const struct mpg_classes *classes)
{
    mpg_kept_key(key, "first", course->graph, mpg_clock_map_source(course->clocks));
    mpg_bytes_put_u64(key, comparable);
    mpg_bytes_put_u64(key, floors != NULL);
    mpg_bytes_put_u64(key, classes != NULL);
    if (floors)
        mpg_floors_key(key, floors);
    if (classes)
        mpg_classes_key(key);
}

/* Whether all of it is in LEFT. */
static bool get(struct mpg_bytes_left *left, const struct mpg_course *course,
                struct mpg_floors *floors, struct mpg_classes *classes, struct mpg_passed *passed)
{
    return mpg_passed_get(left, passed) == 0 &&
           (!floors || mpg_floors_get(left, floors) == 0) &&
           (!classes || mpg_classes_get(left, classes, course->trace) == 0) && left->p == left->end;
}

bool mpg_first_known(const struct mpg_course *course, bool comparable, struct mpg_floors *floors,
                     struct mpg_classes *classes, struct mpg_passed *passed)
{
    struct mpg_bytes key = {0};
    struct mpg_bytes_left left;
    struct mpg_passed told;
    if (!course->kept)
        return false;
    key_of(&key, course, comparable, floors, classes);
    bool is_known = mpg_kept_find(course->kept, &key, &left);
    mpg_bytes_clear(&key);
    if (is_known && !get(&left, course, floors, classes, &told)) {
        is_known = false; /* it is not what it should be: as if it were not there */
        if (floors)
            mpg_floors_forget(floors);
        if (classes)
            mpg_classes_forget(classes);
    }
    if (is_known)
        *passed = told;
    return is_known;
}

void mpg_first_keep(const struct mpg_course *course, bool comparable,
                    const struct mpg_floors *floors, const struct mpg_classes *classes,
                    const struct mpg_passed *passed)
{
    struct mpg_bytes key = {0}, found = {0};
    if (!course->kept)
        return;
    key_of(&key, course, comparable, floors, classes);
    mpg_passed_put(&found, passed);
    if (floors)
        mpg_floors_put(&found, floors);
    if (classes)
        mpg_classes_put(&found, classes, course->trace);
    mpg_kept_add(course->kept, &key, &found);
    mpg_bytes_clear(&key);
    mpg_bytes_clear(&found);
}
