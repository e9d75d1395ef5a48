/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of traces: makes a folder, and claims the folder for one run, to keep other runs from writing into it. */
#include "trace/pmpi/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/pmpi/paths.h"
#include "trace/store/names.h"

enum { MAX_FOLDERS = 1000000 };

static int make(const char *path, struct mpg_error *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return mpg_error_errno(err, errno, "%s", path);
    return 0;
}

int folder_try(const char *folder, struct mpg_error *err)
{
    if (mkdir(folder, 0777) == 0) {
        rmdir(folder);
        return 0;
    }
    if (errno != EEXIST || access(folder, W_OK | X_OK) < 0)
        return mpg_error_errno(err, errno, "%s", folder);
    return 0;
}

int folder_make(const char *folder, char *path, size_t size, struct mpg_error *err)
{
    if (make(folder, err) < 0)
        return -1;
    return paths_real(folder, path, size) ? 0 : mpg_error_errno(err, errno, "%s", folder);
}

static int join(char *path, const char *folder, const char *name, struct mpg_error *err)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return mpg_error_set(err, "%s: name too long", folder);
    return 0;
}

int folder_name(const char *folder, int64_t number, char *path, size_t size,
                struct mpg_error *err)
{
    const int n = number == 1 ? snprintf(path, size, "%s", folder)
                              : snprintf(path, size, "%s-%lld", folder, (long long)number);
    return n < (int)size ? 0 : mpg_error_set(err, "%s: name too long", folder);
}

/* --- claims: rank 0's file, which only one run can create, claims the folder --- */

static int64_t change_ns(const struct stat *st)
{
    return st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
}

/* Counts files of ranks and folders of spawned jobs in a folder. OWN: name of the file just made, which is not counted. */
struct others {
    const char *own;
    int64_t number;
};

static void count_other(const char *name, void *data)
{
    struct others *others = data;
    if (strcmp(name, others->own) != 0 && (mpg_name_is_of_rank(name) || mpg_name_is_spawned(name)))
        others->number++;
}

/* Claims FOLDER by making the file NAME in it. Returns 1; 0: the folder belongs to another run; -1 with ERR. */
static int claim_one(const char *folder, const char *name, struct folder_claim *claim,
                     struct mpg_error *err)
{
    char path[PATH_MAX];
    struct stat st;
    struct others others = {.own = name};
    const bool made = mkdir(folder, 0777) == 0;
    if ((!made && errno != EEXIST) || join(path, folder, name, err) < 0)
        return made ? -1 : mpg_error_errno(err, errno, "%s", folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? 0 : mpg_error_errno(err, errno, "%s", folder);
    int status = fstat(fd, &st) == 0 ? 1 : mpg_error_errno(err, errno, "%s", path);
    close(fd);
    if (status > 0 && !made && !paths_list(folder, count_other, &others))
        status = mpg_error_errno(err, errno, "%s", folder);
    if (status > 0 && others.number == 0) {
        claim->inode = (int64_t)st.st_ino;
        claim->device = (int64_t)st.st_dev;
        claim->changed_ns = change_ns(&st);
        return 1;
    }
    (void)unlink(path);
    return status < 0 ? -1 : 0;
}

int folder_claim(const char *folder, const char *name, struct folder_claim *claim,
                 struct mpg_error *err)
{
    char path[PATH_MAX];
    for (int64_t number = 1; number <= MAX_FOLDERS; number++) {
        *claim = (struct folder_claim){.number = number};
        if (folder_name(folder, number, path, sizeof path, err) < 0)
            return -1;
        const int status = claim_one(path, name, claim, err);
        if (status != 0)
            return status > 0 ? 0 : -1;
    }
    return mpg_error_set(err, "%s: no free name beside it", folder);
}

static bool is_claimed(const struct stat *st, const struct folder_claim *claim)
{
    return (int64_t)st->st_ino == claim->inode || change_ns(st) == claim->changed_ns;
}

int folder_check(const char *folder, const char *name, const struct folder_claim *claim,
                 struct mpg_error *err)
{
    char path[PATH_MAX];
    struct stat st;
    if (join(path, folder, name, err) < 0)
        return -1;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : mpg_error_errno(err, errno, "%s", path);
    return is_claimed(&st, claim) ? 0 : mpg_error_set(err, "%s: is another run's", folder);
}

void folder_release(const char *folder, const char *name, const struct folder_claim *claim)
{
    char path[PATH_MAX];
    struct stat st;
    if (join(path, folder, name, NULL) == 0 && lstat(path, &st) == 0 && st.st_size == 0 &&
        is_claimed(&st, claim) && unlink(path) == 0)
        (void)rmdir(folder);
}

/* --- others --- */

int folder_make_spawned(const char *folder, struct mpg_error *err)
{
    char path[PATH_MAX];
    if (make(folder, err) < 0)
        return -1;
    for (int k = 0; k < MAX_FOLDERS; k++) {
        if (snprintf(path, sizeof path, "%s/spawned-%d", folder, k) >= (int)sizeof path)
            return mpg_error_set(err, "%s: name too long", folder);
        if (mkdir(path, 0777) == 0)
            return k;
        if (errno != EEXIST)
            return mpg_error_errno(err, errno, "%s", path);
    }
    return mpg_error_set(err, "%s: no free name for a spawned job", folder);
}

struct look {
    const char *folder;
    struct folder_content content;
};

static void look_at(const char *name, void *data)
{
    struct look *look = data;
    char path[PATH_MAX];
    struct stat st;
    look->content.spawned += mpg_name_is_spawned(name);
    if (!mpg_name_is_of_rank(name) || join(path, look->folder, name, NULL) < 0 ||
        lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return;
    look->content.bytes += st.st_size;
    if (strstr(name, ".window.mpgt"))
        look->content.windows++;
    else if (!strstr(name, "-thread-") && !strstr(name, ".part-"))
        look->content.ranks++;
}

struct folder_content folder_scan(const char *folder)
{
    struct look look = {.folder = folder};
    (void)paths_list(folder, look_at, &look);
    return look.content;
}
