/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libmpgtrace-papi.so: PAPI's counters for the tracer. Each component of PAPI counts in a separate event set. A thread
 * can run one event set of each component (PAPI_start(3)). */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pmpi/counters.h"

enum { MAX_SETS = 8, MAX_LIST = 4096 };

struct set {
    int component, handle, number;
    int index[COUNTERS_MAX]; /* by event of the set: the event's index among the chosen counters */
};

struct thread {
    int set_number;
    struct set sets[MAX_SETS];
};

static struct {
    int number;
    struct {
        int code, component;
    } events[COUNTERS_MAX];
} wanted;

static unsigned long this_thread(void)
{
    return (unsigned long)pthread_self();
}

static void add_text(char *text, size_t size, const char *separator, const char *word)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? separator : "", word);
}

static void describe_failure(char *complaint, size_t size, const char *what, int status)
{
    char line[PAPI_MAX_STR_LEN + 128];
    snprintf(line, sizeof line, "%s (%s)", what,
             status > 0 ? "the library is another version's" : PAPI_strerror(status));
    add_text(complaint, size, ", ", line);
}

static bool stop_sets(struct thread *t)
{
    long long rest[COUNTERS_MAX];
    bool good = true;
    for (int i = 0; i < t->set_number; i++) {
        good = PAPI_stop(t->sets[i].handle, rest) == PAPI_OK && good;
        good = PAPI_cleanup_eventset(t->sets[i].handle) == PAPI_OK && good;
        good = PAPI_destroy_eventset(&t->sets[i].handle) == PAPI_OK && good;
    }
    t->set_number = 0;
    return good;
}

static struct set *set_of(struct thread *t, int component, int *status)
{
    for (int i = 0; i < t->set_number; i++)
        if (t->sets[i].component == component)
            return &t->sets[i];
    *status = PAPI_ENOMEM;
    if (t->set_number == MAX_SETS)
        return NULL;
    struct set *s = &t->sets[t->set_number];
    *s = (struct set){.component = component, .handle = PAPI_NULL};
    *status = PAPI_create_eventset(&s->handle);
    if (*status != PAPI_OK)
        return NULL;
    t->set_number++;
    return s;
}

static int add_event(struct thread *t, int which)
{
    int status = PAPI_OK;
    struct set *s = set_of(t, wanted.events[which].component, &status);
    if (!s)
        return status;
    status = PAPI_add_event(s->handle, wanted.events[which].code);
    if (status == PAPI_OK)
        s->index[s->number++] = which;
    return status;
}

/* Starts all sets of T. Returns PAPI_OK; if a set does not start, PAPI's error, with all sets stopped and destroyed. */
static int start_sets(struct thread *t)
{
    for (int i = 0; i < t->set_number; i++) {
        int status = PAPI_start(t->sets[i].handle);
        if (status == PAPI_OK)
            continue;
        struct thread begun = *t;
        begun.set_number = i;
        (void)stop_sets(&begun); /* stops the sets started so far, before all sets are destroyed */
        for (; i < t->set_number; i++)
            if (PAPI_cleanup_eventset(t->sets[i].handle) == PAPI_OK)
                (void)PAPI_destroy_eventset(&t->sets[i].handle);
        t->set_number = 0;
        return status;
    }
    return PAPI_OK;
}

static void *start(void)
{
    struct thread *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    bool good = true;
    for (int i = 0; i < wanted.number && good; i++)
        good = add_event(t, i) == PAPI_OK;
    if (good && start_sets(t) == PAPI_OK)
        return t;
    free(t);
    return NULL;
}

static void stop(void *thread)
{
    (void)stop_sets(thread);
    (void)PAPI_unregister_thread();
    free(thread);
}

static bool read_all(void *thread, long long *values)
{
    long long own[COUNTERS_MAX];
    const struct thread *t = thread;
    for (int i = 0; i < t->set_number; i++) {
        const struct set *s = &t->sets[i];
        if (PAPI_read(s->handle, own) != PAPI_OK)
            return false;
        for (int e = 0; e < s->number; e++)
            values[s->index[e]] = own[e];
    }
    return true;
}

/* Adds EVENT to the chosen events if all can be counted together. Returns PAPI_OK, or PAPI's error. */
static int try_event(const char *event)
{
    int code = 0, status = PAPI_event_name_to_code(event, &code);
    if (status != PAPI_OK)
        return status;
    if (wanted.number == COUNTERS_MAX)
        return PAPI_ECNFLCT;
    wanted.events[wanted.number].code = code;
    wanted.events[wanted.number].component = PAPI_get_event_component(code);
    wanted.number++;
    struct thread t = {.set_number = 0};
    for (int i = 0; i < wanted.number && status == PAPI_OK; i++)
        status = add_event(&t, i);
    if (status == PAPI_OK && (status = start_sets(&t)) == PAPI_OK) {
        (void)stop_sets(&t);
        return PAPI_OK;
    }
    for (int i = 0; i < t.set_number; i++)
        if (PAPI_cleanup_eventset(t.sets[i].handle) == PAPI_OK)
            (void)PAPI_destroy_eventset(&t.sets[i].handle);
    wanted.number--;
    return status;
}

static int open_events(const char *events, char *names, size_t names_size, char *complaint,
                       size_t complaint_size)
{
    char list[MAX_LIST], *rest = list;
    names[0] = complaint[0] = '\0';
    snprintf(list, sizeof list, "%s", events);
    int status = PAPI_library_init(PAPI_VER_CURRENT);
    if (status == PAPI_VER_CURRENT)
        status = PAPI_thread_init(this_thread);
    /* Software events happen in the kernel, where PAPI counts nothing by default. */
    if (status == PAPI_OK && strstr(list, "perf::"))
        status = PAPI_set_domain(PAPI_DOM_ALL);
    if (status != PAPI_OK) {
        describe_failure(complaint, complaint_size, "PAPI", status);
        return 0;
    }
    for (char *event; (event = strsep(&rest, ",")) != NULL;) {
        if (!*event)
            continue;
        status = try_event(event);
        if (status != PAPI_OK) {
            describe_failure(complaint, complaint_size, event, status);
            continue;
        }
        size_t used = strlen(names);
        snprintf(names + used, names_size - used, " %s", event);
    }
    return wanted.number;
}

const struct tracer_counters mpgtrace_counters = {open_events, start, read_all, stop};
