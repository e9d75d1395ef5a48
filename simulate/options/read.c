/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which files mpgsim reads, beside the trace: the one list, of outputs' guard and of the history. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "simulate/options/arguments.h"

struct seeing {
    mpg_input_see *see;
    void *who;
    struct mpg_error *err;
};

/* PATH, or NULL: nothing. */
static int see(const struct seeing *s, const char *role, const char *path)
{
    return path ? s->see(s->who, role, path, s->err) : 0;
}

/* WORD, if it names a file: others are words for what is built in. */
static int see_file(const struct seeing *s, const char *role, const char *word)
{
    struct stat st;
    return word && stat(word, &st) == 0 && S_ISREG(st.st_mode) ? see(s, role, word) : 0;
}

static int see_list(const struct seeing *s, const char *role, const struct mpg_option_list *list)
{
    int status = 0;
    for (size_t i = 0; i < list->n && status == 0; i++)
        status = see(s, role, list->item[i]);
    return status;
}

/* Of N distributions. */
static int see_samples(const struct seeing *s, const struct mpg_spec *spec, size_t n)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        char *path = mpg_spec_file(&spec[i]);
        status = see(s, "samples", path);
        free(path);
    }
    return status;
}

/* Machines of a table beside A's own, and maps of theirs. */
static int see_designs(const struct seeing *s, const struct mpg_arguments *a)
{
    int status = 0;
    for (size_t i = 0; i < a->targets.n && status == 0; i++)
        status = see_file(s, "target", a->targets.item[i]);
    for (size_t i = 0; i < a->keys.axes; i++)
        for (size_t k = 0; k < a->keys.axis[i].n && status == 0; k++)
            status = strcmp(a->keys.axis[i].key, "Map") == 0 ? see_file(s, "target", a->keys.axis[i].value[k]) : 0;
    return status;
}

/* Where ranks are. */
static int see_places(const struct seeing *s, const struct mpg_arguments *a)
{
    const struct mpg_axis *swept = mpg_sweep_find(&a->sweep, MPG_SWEPT_MAP);
    int status = see_file(s, "map", a->map);
    for (size_t i = 0; swept && i < swept->n && status == 0; i++)
        status = see_file(s, "map", swept->word[i]);
    return status < 0 ? -1 : see_file(s, "source-map", a->source_map);
}

int mpg_arguments_see_inputs(const struct mpg_arguments *a, const struct mpg_asked *asked, mpg_input_see *to, void *who,
                             struct mpg_error *err)
{
    const struct seeing s = {to, who, err};
    const struct mpg_perturbation *p = &asked->p;
    const struct mpg_specs *const specs[] = {&p->noise, &p->call_noise, &p->latency, &p->byte};
    if (see_list(&s, "signature", &a->signatures) < 0 || see(&s, "source", mpg_arguments_source(a)) < 0 ||
        see(&s, "table", a->collective_table) < 0 || see_designs(&s, a) < 0 ||
        see_file(&s, "against", a->against) < 0 ||
        (a->machine && (see_file(&s, "target", a->machine->map) < 0 ||
                        see_samples(&s, a->machine->time, MPG_PARAMETERS) < 0)) ||
        see_list(&s, "hypothesis", &a->hypothesis_files) < 0 || see_places(&s, a) < 0)
        return -1;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        if (see_samples(&s, specs[i]->spec, specs[i]->n) < 0)
            return -1;
    return 0;
}
