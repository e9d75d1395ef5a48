/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists by receiver, communicator and sender, in the order in which messages were sent. */
#include "simulate/choice/inbox.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN = 1, MARKED = 2 };

/* ---- what is sent ---- */

static struct mpg_sender *new_sender(struct mpg_inbox *inbox, const struct mpg_step *s)
{
    uint64_t *all = mpg_map_add(&inbox->pairs, (uint64_t)s->receiver, (uint64_t)s->rank);
    uint64_t *same =
        all ? mpg_map_add(&inbox->senders, (uint64_t)s->receiver, (uint64_t)s->comm) : NULL;
    struct mpg_sender *sender = same ? calloc(1, sizeof *sender) : NULL;
    struct mpg_letter **head = sender ? calloc((size_t)inbox->n + 1, sizeof *head) : NULL;
    if (!head) {
        free(sender);
        return NULL;
    }
    sender->source = s->rank;
    sender->comm = s->comm;
    sender->head = head;
    sender->next = (struct mpg_sender *)(uintptr_t)*same;
    sender->other = (struct mpg_sender *)(uintptr_t)*all;
    *same = *all = (uint64_t)(uintptr_t)sender;
    return sender;
}

static struct mpg_sender *first_sender(const struct mpg_inbox *inbox, int32_t rank, int32_t comm)
{
    uint64_t *slot = mpg_map_find(&inbox->senders, (uint64_t)rank, (uint64_t)comm);
    return slot ? (struct mpg_sender *)(uintptr_t)*slot : NULL;
}

struct mpg_sender *mpg_inbox_from(const struct mpg_inbox *inbox, int32_t rank, int32_t source)
{
    uint64_t *slot = mpg_map_find(&inbox->pairs, (uint64_t)rank, (uint64_t)source);
    return slot ? (struct mpg_sender *)(uintptr_t)*slot : NULL;
}

static struct mpg_sender *find_sender(struct mpg_inbox *inbox, const struct mpg_step *s)
{
    struct mpg_sender *sender = mpg_inbox_from(inbox, s->receiver, s->rank);
    while (sender && sender->comm != s->comm)
        sender = sender->other;
    return sender ? sender : new_sender(inbox, s);
}

/* One with all its vectors, 0, or NULL. */
static struct mpg_letter *new_letter(uint32_t n)
{
    const size_t vectors = 3 * (size_t)n * sizeof(double), flags = 2 * (size_t)n + 1;
    struct mpg_letter *letter = calloc(1, sizeof *letter + vectors + flags);
    if (!letter)
        return NULL;
    letter->value = (double *)(void *)(letter + 1);
    letter->bare = letter->value + n;
    letter->cause = letter->bare + n;
    letter->answered = (bool *)(letter->cause + n);
    letter->taken = (uint8_t *)(letter->answered + n);
    letter->left = n + 1;
    return letter;
}

struct mpg_letter *mpg_inbox_add(struct mpg_inbox *inbox, const struct mpg_step *s,
                                 struct mpg_error *err)
{
    struct mpg_sender *sender = find_sender(inbox, s);
    uint64_t *slot = sender ? mpg_map_add(&inbox->letters, s->message, 0) : NULL;
    struct mpg_letter *letter = slot ? new_letter(inbox->n) : NULL;
    if (!letter) {
        mpg_error_set(err, "out of memory");
        return NULL;
    }
    *slot = (uint64_t)(uintptr_t)letter;
    letter->id = s->message;
    letter->tag = s->tag;
    letter->bytes = s->bytes;
    letter->sender = sender;
    if (sender->first)
        sender->last->next = letter;
    else
        sender->first = letter;
    sender->last = letter;
    for (uint32_t w = 0; w <= inbox->n; w++)
        if (!sender->head[w])
            sender->head[w] = letter;
    return letter;
}

struct mpg_letter *mpg_inbox_find(const struct mpg_inbox *inbox, uint64_t id)
{
    uint64_t *slot = mpg_map_find(&inbox->letters, id, 0);
    return slot ? (struct mpg_letter *)(uintptr_t)*slot : NULL;
}

/* ---- what is taken ---- */

static struct mpg_letter *first_that_fits(const struct mpg_sender *sender,
                                          const struct mpg_fit *fits, uint32_t w)
{
    struct mpg_letter *letter = sender->head[w];
    while (letter && (letter->taken[w] || (!fits->any_tag && letter->tag != fits->tag)))
        letter = letter->next;
    return letter;
}

int64_t mpg_inbox_heads(struct mpg_inbox *inbox, int32_t rank, const struct mpg_fit *fits, uint32_t w,
                        struct mpg_error *err)
{
    uint32_t count = 0;
    for (struct mpg_sender *s = first_sender(inbox, rank, fits->comm); s; s = s->next) {
        struct mpg_letter *letter =
            fits->any_source || fits->source == s->source ? first_that_fits(s, fits, w) : NULL;
        if (!letter)
            continue;
        if (count == inbox->heads_capacity) {
            uint32_t capacity = count ? 2 * count : 16;
            void *grown = realloc(inbox->heads, capacity * sizeof(struct mpg_letter *));
            if (!grown)
                return mpg_error_set(err, "out of memory");
            inbox->heads = grown;
            inbox->heads_capacity = capacity;
        }
        inbox->heads[count++] = letter;
    }
    return count;
}

/* Nobody needs LETTER, of whom no lane's head is any more. */
static void drop(struct mpg_inbox *inbox, struct mpg_letter *letter)
{
    struct mpg_sender *sender = letter->sender;
    struct mpg_letter **link = &sender->first, *before = NULL;
    for (; *link != letter; link = &(*link)->next)
        before = *link;
    *link = letter->next;
    if (sender->last == letter)
        sender->last = before;
    mpg_map_remove(&inbox->letters, letter->id, 0);
    free(letter);
}

void mpg_inbox_take(struct mpg_inbox *inbox, struct mpg_letter *letter, uint32_t w)
{
    struct mpg_sender *sender = letter->sender;
    if (letter->taken[w] == TAKEN)
        return;
    letter->taken[w] = TAKEN;
    while (sender->head[w] && sender->head[w]->taken[w] == TAKEN)
        sender->head[w] = sender->head[w]->next;
    sender->overdue += w == inbox->n;
    if (--letter->left > 0)
        return;
    sender->overdue--;
    drop(inbox, letter);
}

int mpg_inbox_mark(struct mpg_inbox *inbox, struct mpg_letter *letter, uint32_t w,
                   struct mpg_error *err)
{
    if (letter->taken[w])
        return 0;
    if (inbox->marked_count == inbox->marked_capacity) {
        uint32_t capacity = inbox->marked_capacity ? 2 * inbox->marked_capacity : 16;
        void *grown = realloc(inbox->marked, capacity * sizeof(struct mpg_letter *));
        if (!grown)
            return mpg_error_set(err, "out of memory");
        inbox->marked = grown;
        inbox->marked_capacity = capacity;
    }
    letter->taken[w] = MARKED;
    inbox->marked[inbox->marked_count++] = letter;
    return 0;
}

void mpg_inbox_unmark(struct mpg_inbox *inbox, uint32_t w)
{
    for (uint32_t i = 0; i < inbox->marked_count; i++)
        if (inbox->marked[i]->taken[w] == MARKED)
            inbox->marked[i]->taken[w] = 0;
    inbox->marked_count = 0;
}

/* ---- the end ---- */

static void free_senders(const struct mpg_map *pairs)
{
    for (size_t i = 0; i < pairs->capacity; i++) {
        struct mpg_sender *next = NULL;
        if (!pairs->entries[i].used)
            continue;
        for (struct mpg_sender *s = (void *)(uintptr_t)pairs->entries[i].value; s; s = next) {
            next = s->other;
            while (s->first) {
                struct mpg_letter *later = s->first->next;
                free(s->first);
                s->first = later;
            }
            free(s->head);
            free(s);
        }
    }
}

void mpg_inbox_clear(struct mpg_inbox *inbox)
{
    free_senders(&inbox->pairs);
    mpg_map_clear(&inbox->letters);
    mpg_map_clear(&inbox->senders);
    mpg_map_clear(&inbox->pairs);
    free(inbox->marked);
    free(inbox->heads);
}

size_t mpg_inbox_letter_bytes(void)
{
    return 3 * sizeof(double) + 2;
}
