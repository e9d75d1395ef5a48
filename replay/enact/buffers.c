/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Send and receive buffers. All calls of a rank share a send and a receive buffer, since the contents of messages do not
 * matter. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "replay/enact/player.h"

enum { MIN_BYTES = 1 << 16 };

/* Returns *BUFFER, of *ROOM bytes; if BYTES do not fit, first replaces *BUFFER by a larger buffer. The old buffer stays
 * mapped, since open requests may use it. NULL: out of memory. */
static void *raise_to(void **buffer, int64_t *room, int64_t bytes)
{
    if (bytes <= *room)
        return *buffer;
    int64_t more = *room < MIN_BYTES / 2 ? MIN_BYTES : 2 * *room; /* each buffer is twice as large as the buffer before,
                                                                     so all old buffers together are smaller than the new
                                                                     buffer */
    if (more < bytes)
        more = bytes;
    void *at = mmap(NULL, (size_t)more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    memset(at, 0, (size_t)more); /* touches the pages now: the program's buffers had usually been touched, too */
    *buffer = at;
    *room = more;
    return at;
}

void *play_send_buffer(struct player *p, int64_t bytes)
{
    return raise_to(&p->shared->send, &p->shared->send_bytes, bytes);
}

void *play_receive_buffer(struct player *p, int64_t bytes)
{
    return raise_to(&p->shared->receive, &p->shared->receive_bytes, bytes);
}

/* Attaches a buffer for MPI_Bsend with room for all buffered sends of the rank, but of at most 1 GiB: with less than needed,
 * MPI has to reuse the room. */
int play_attach_buffer(struct player *p)
{
    const struct mpg_needs *n = p->host->needs;
    const int64_t max = 1 << 30, overhead = 2 * (MPI_BSEND_OVERHEAD + 64);
    if (n->buffered == 0)
        return 0;
    int64_t bytes = n->buffered < max / overhead ? n->buffered * overhead : max;
    bytes = n->buffered_bytes < max - bytes ? bytes + n->buffered_bytes : max;
    void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return play_fail(p, "out of memory for buffered sends");
    return play_check(p, PMPI_Buffer_attach(at, (int)bytes));
}

int play_type(struct player *p, int64_t bytes, int *count, MPI_Datatype *type)
{
    enum { PIECE = 1 << 30 };
    *type = MPI_BYTE;
    *count = (int)bytes;
    if (bytes <= INT32_MAX)
        return 0;
    MPI_Datatype piece, whole;
    PMPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
    PMPI_Type_contiguous((int)(bytes / PIECE), piece, &whole);
    int lengths[2] = {1, (int)(bytes % PIECE)};
    MPI_Aint displacements[2] = {0, (MPI_Aint)(bytes - bytes % PIECE)};
    MPI_Datatype types[2] = {whole, MPI_BYTE};
    const int rc = PMPI_Type_create_struct(2, lengths, displacements, types, type);
    PMPI_Type_free(&piece);
    PMPI_Type_free(&whole);
    *count = 1;
    return play_check(p, rc == MPI_SUCCESS ? PMPI_Type_commit(type) : rc);
}

void play_type_end(MPI_Datatype *type)
{
    if (*type != MPI_BYTE)
        PMPI_Type_free(type);
}

/* Returns an object with lists of N elements, all in a single block of memory; NULL: out of memory. */
static struct play_counts *new_counts(size_t n)
{
    const size_t wide = sizeof(MPI_Aint) > sizeof(MPI_Datatype) ? sizeof(MPI_Aint) : sizeof(MPI_Datatype);
    struct play_counts *x = calloc(1, sizeof *x + n * (3 * wide + 4 * sizeof(int)));
    if (!x)
        return NULL;
    char *at = (char *)(x + 1);
    *x = (struct play_counts){.room = n};
    x->types = (MPI_Datatype *)at;
    at += n * wide;
    for (int i = 0; i < 2; i++, at += n * wide)
        x->far[i] = (MPI_Aint *)at;
    for (int i = 0; i < 2; i++, at += 2 * n * sizeof(int)) {
        x->counts[i] = (int *)at;
        x->displacements[i] = x->counts[i] + n;
    }
    for (size_t i = 0; i < n; i++)
        x->types[i] = MPI_BYTE;
    return x;
}

int play_count_room(struct player *p, struct play_counts **counts, size_t n)
{
    if (*counts && n <= (*counts)->room)
        return 0;
    free(*counts);
    *counts = new_counts(n + 1);
    return *counts ? 0 : play_fail(p, "out of memory");
}

int play_count(struct player *p, int64_t bytes, int *count)
{
    if (bytes < 0 || bytes > INT32_MAX)
        return play_fail(p, "%lld bytes of one member exceed the limit of 2 GiB", (long long)bytes);
    *count = (int)bytes;
    return 0;
}
