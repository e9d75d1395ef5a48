/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SQLite database: tables of runs, of their arguments, and of the files read by runs. */
#define _GNU_SOURCE
#include "config.h"

#include "history/history.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SQLITE3
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/* APPLICATION is "mpgh" in ASCII. A history with signatures is of a version that earlier mpgkits refuse. */
enum { APPLICATION = 0x6d706768, FORMAT = 1, FORMAT_WITH_SIGNATURES = 2, BUSY_TIMEOUT_MS = 3000 };

/* The text of these statements is compared with the text in sqlite_master, and must not change. */
#define RUNS \
    "CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, version TEXT NOT NULL," \
    " directory TEXT NOT NULL, seed INTEGER NOT NULL, answer BLOB NOT NULL)"
#define ARGUMENTS "CREATE TABLE arguments (run INTEGER NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL)"
#define INPUTS \
    "CREATE TABLE inputs (run INTEGER NOT NULL, place INTEGER NOT NULL, role TEXT NOT NULL, path TEXT NOT NULL," \
    " sum TEXT NOT NULL)"
#define ARGUMENTS_OF "CREATE INDEX arguments_of ON arguments (run, place)"
#define INPUTS_OF "CREATE INDEX inputs_of ON inputs (run, place)"
#define SIGNATURES \
    "CREATE TABLE signatures (id INTEGER PRIMARY KEY AUTOINCREMENT, time TEXT NOT NULL, version TEXT NOT NULL," \
    " host TEXT NOT NULL, measured TEXT NOT NULL, path TEXT NOT NULL, sum TEXT NOT NULL UNIQUE, signature BLOB NOT NULL)"
static const char *const schema_of_signatures = SIGNATURES "; PRAGMA user_version = 2;";
static const char *const schema =
    RUNS ";" ARGUMENTS ";" INPUTS ";" ARGUMENTS_OF ";" INPUTS_OF ";"
    "PRAGMA application_id = 1836083048; PRAGMA user_version = 1;";
_Static_assert(APPLICATION == 1836083048, "as the schema has it");

struct database {
    const char *file;
    sqlite3 *db;
    struct mpg_error *err;
    int64_t steps_left; /* number of steps that SQLite may still take; negative: SQLite was stopped */
};

/* A history may come from someone else and be malicious. Therefore the number of steps of SQLite is limited, in proportion to
 * the file's size. */
enum { STEPS_A_CALL = 1000, STEPS_OF_NOTHING = 1000000, STEPS_A_BYTE = 100, LARGEST_VALUE = 1 << 29 };

static int count_steps(void *database)
{
    struct database *d = database;
    d->steps_left -= STEPS_A_CALL;
    return d->steps_left < 0;
}

/* Fills d->err with one line for SQLite's last error. Returns -1. */
static int set_error(const struct database *d)
{
    if (d->steps_left < 0)
        return mpg_error_set(d->err, "%s: damaged: reading takes too many steps for the file's size", d->file);
    switch (sqlite3_errcode(d->db) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return mpg_error_set(d->err, "%s: locked: another process writes to it", d->file);
    case SQLITE_FULL:
        return mpg_error_set(d->err, "%s: the disk is full", d->file);
    case SQLITE_NOTADB:
        return mpg_error_set(d->err, "%s: not a history: another kind of file", d->file);
    case SQLITE_CORRUPT:
        return mpg_error_set(d->err, "%s: damaged: %s", d->file, sqlite3_errmsg(d->db));
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return mpg_error_set(d->err, "%s: not writable", d->file);
    default:
        return mpg_error_set(d->err, "%s: %s", d->file, sqlite3_errmsg(d->db));
    }
}

static int execute(const struct database *d, const char *sql)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : set_error(d);
}

static int query_number(const struct database *d, const char *sql, sqlite3_int64 *number)
{
    sqlite3_stmt *s = NULL;
    int status = -1;
    if (sqlite3_prepare_v2(d->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
        *number = sqlite3_column_int64(s, 0);
        status = 0;
    } else {
        set_error(d);
    }
    sqlite3_finalize(s);
    return status;
}

enum { HISTORY_TABLES = 5 };
/* Counts tables and indices that match the schema exactly; 0 if a view or trigger exists, which could run code. */
static const char *const count_own_tables =
    "SELECT CASE WHEN EXISTS (SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')) THEN 0 ELSE"
    " (SELECT count(*) FROM sqlite_master WHERE sql IN ('" RUNS "', '" ARGUMENTS "', '" INPUTS "', '" ARGUMENTS_OF
    "', '" INPUTS_OF "', '" SIGNATURES "')) END";

/* Checks that the database is a history. If WRITTEN, makes an empty database a history, within the current transaction. */
static int check(const struct database *d, bool written)
{
    sqlite3_int64 application, version, tables;
    if (query_number(d, "PRAGMA application_id", &application) < 0 || query_number(d, "PRAGMA user_version", &version) < 0 ||
        query_number(d, "SELECT count(*) FROM sqlite_master", &tables) < 0)
        return -1;
    if (tables == 0 && application == 0)
        return written ? execute(d, schema) : mpg_error_set(d->err, "%s: an empty history", d->file);
    if (application != APPLICATION)
        return mpg_error_set(d->err, "%s: not a history: a database of another program", d->file);
    if (version != FORMAT && version != FORMAT_WITH_SIGNATURES)
        return mpg_error_set(d->err, "%s: unknown history version %lld", d->file,
                             (long long)version);
    if (query_number(d, count_own_tables, &tables) < 0)
        return -1;
    return tables == HISTORY_TABLES + (version == FORMAT_WITH_SIGNATURES)
               ? 0
               : mpg_error_set(d->err, "%s: damaged: its tables are not those of a history", d->file);
}

/* Returns whether the journal at PATH names a super-journal, a file that SQLite would delete. */
static bool names_super_journal(const char *path)
{
    static const uint8_t mark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    uint8_t end[sizeof mark];
    struct stat is;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    const bool ends = fd >= 0 && fstat(fd, &is) == 0 && is.st_size > (off_t)sizeof end &&
                      pread(fd, end, sizeof end, is.st_size - (off_t)sizeof end) == (ssize_t)sizeof end &&
                      memcmp(end, mark, sizeof mark) == 0;
    if (fd >= 0)
        close(fd);
    return ends;
}

/* Returns whether the file at PATH is in WAL mode, in which SQLite creates files even to read. */
static bool uses_write_ahead_log(const char *path)
{
    enum { WRITE_VERSION = 18, LOGGED = 2 };
    uint8_t version[2] = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool wants = fd >= 0 && pread(fd, version, sizeof version, WRITE_VERSION) == (ssize_t)sizeof version &&
                       (version[0] == LOGGED || version[1] == LOGGED);
    if (fd >= 0)
        close(fd);
    return wants;
}

/* SQLite obeys the files beside a database, which may also be malicious: refuses a history if these files are not safe. */
static int check_companion_files(const struct database *d)
{
    static const char *const endings[] = {"-journal", "-wal", "-shm"};
    char *real = realpath(d->file, NULL), *path = real ? real : strdup(d->file);
    char *beside = path ? malloc(strlen(path) + sizeof "-journal") : NULL;
    int status = beside ? 0 : mpg_error_set(d->err, "out of memory");
    if (status == 0 && uses_write_ahead_log(path))
        status = mpg_error_set(d->err, "%s: SQLite's WAL mode is not supported: change it by 'PRAGMA journal_mode=delete'",
                               d->file);
    for (size_t i = 0; status == 0 && i < sizeof endings / sizeof *endings; i++) {
        struct stat is;
        strcpy(stpcpy(beside, path), endings[i]);
        if (lstat(beside, &is) == 0 && !S_ISREG(is.st_mode))
            status = mpg_error_set(d->err, "%s: '%s' beside it is not a regular file", d->file,
                                   strrchr(beside, '/') ? strrchr(beside, '/') + 1 : beside);
    }
    if (status == 0) {
        strcpy(stpcpy(beside, path), "-journal");
        if (names_super_journal(beside))
            status = mpg_error_set(d->err, "%s: the journal beside it names another file", d->file);
    }
    free(beside);
    free(path);
    return status;
}

static int open_database(struct database *d, const char *file, bool write, struct mpg_error *err)
{
    struct stat is;
    *d = (struct database){.file = file, .err = err, .steps_left = STEPS_OF_NOTHING};
    if (stat(file, &is) == 0) {
        if (!S_ISREG(is.st_mode) && !S_ISDIR(is.st_mode)) /* opening a pipe would wait for the pipe's writer */
            return mpg_error_set(err, "%s: not a history: not a regular file", file);
        d->steps_left += STEPS_A_BYTE * (int64_t)is.st_size;
    }
    if (check_companion_files(d) < 0)
        return -1;
    const int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (sqlite3_open_v2(file, &d->db, flags, NULL) != SQLITE_OK) {
        mpg_error_set(err, "%s: cannot be opened%s", file, write ? " for writing" : "");
        sqlite3_close(d->db);
        d->db = NULL;
        return -1;
    }
    sqlite3_busy_timeout(d->db, BUSY_TIMEOUT_MS);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_limit(d->db, SQLITE_LIMIT_LENGTH, LARGEST_VALUE);
    sqlite3_progress_handler(d->db, STEPS_A_CALL, count_steps, d);
    return 0;
}

/* ---- storing ---- */

static sqlite3_stmt *prepare(const struct database *d, const char *sql)
{
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(d->db, sql, -1, &s, NULL) == SQLITE_OK)
        return s;
    set_error(d);
    return NULL;
}

/* Executes S once and finalizes it. Returns 0, or -1 with an error. */
static int step(const struct database *d, sqlite3_stmt *s)
{
    const int status = s && sqlite3_step(s) == SQLITE_DONE ? 0 : -1;
    if (s && status < 0)
        set_error(d);
    sqlite3_finalize(s);
    return status;
}

static void bind_text(sqlite3_stmt *s, int place, const char *text)
{
    if (s)
        sqlite3_bind_text(s, place, text, -1, SQLITE_STATIC);
}

static int insert_run(const struct database *d, const struct mpg_history_run *run)
{
    sqlite3_stmt *s = prepare(d, "INSERT INTO runs (time, version, directory, seed, answer)"
                                 " VALUES (strftime('%Y-%m-%d %H:%M:%S', 'now'), ?1, ?2, ?3, ?4)");
    bind_text(s, 1, run->version);
    bind_text(s, 2, run->directory);
    if (s) {
        sqlite3_bind_int64(s, 3, run->seed);
        sqlite3_bind_blob64(s, 4, run->answer, run->answer_bytes, SQLITE_STATIC);
    }
    return step(d, s);
}

static int insert_lists(const struct database *d, const struct mpg_history_run *run, sqlite3_int64 id)
{
    for (size_t i = 0; i < run->arguments; i++) {
        sqlite3_stmt *s = prepare(d, "INSERT INTO arguments VALUES (?1, ?2, ?3)");
        bind_text(s, 3, run->argument[i]);
        if (s) {
            sqlite3_bind_int64(s, 1, id);
            sqlite3_bind_int64(s, 2, (sqlite3_int64)i);
        }
        if (step(d, s) < 0)
            return -1;
    }
    for (size_t i = 0; i < run->inputs; i++) {
        sqlite3_stmt *s = prepare(d, "INSERT INTO inputs VALUES (?1, ?2, ?3, ?4, ?5)");
        bind_text(s, 3, run->input[i].role);
        bind_text(s, 4, run->input[i].path);
        bind_text(s, 5, run->input[i].sum);
        if (s) {
            sqlite3_bind_int64(s, 1, id);
            sqlite3_bind_int64(s, 2, (sqlite3_int64)i);
        }
        if (step(d, s) < 0)
            return -1;
    }
    return 0;
}

static bool exists(const char *file)
{
    struct stat is;
    return lstat(file, &is) == 0 || errno != ENOENT;
}

/* Rolls back a failed store. If this store created the file (MADE) and the file is empty, removes the file. */
static void roll_back(const struct database *d, bool made)
{
    struct stat is;
    sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    if (made && lstat(d->file, &is) == 0 && S_ISREG(is.st_mode) && is.st_size == 0)
        unlink(d->file);
}

int mpg_history_store(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err)
{
    struct database d;
    const bool made = !exists(file);
    if (open_database(&d, file, true, err) < 0)
        return -1;
    int status = execute(&d, "BEGIN IMMEDIATE");
    if (status == 0 && check(&d, true) == 0 && insert_run(&d, run) == 0) {
        *id = sqlite3_last_insert_rowid(d.db);
        status = insert_lists(&d, run, *id) == 0 ? execute(&d, "COMMIT") : -1;
    } else {
        status = -1;
    }
    if (status < 0)
        roll_back(&d, made);
    sqlite3_close(d.db);
    return status;
}

/* Makes the table of signatures in a history of version 1. */
static int add_signatures(const struct database *d)
{
    sqlite3_int64 version;
    if (query_number(d, "PRAGMA user_version", &version) < 0)
        return -1;
    return version == FORMAT_WITH_SIGNATURES ? 0 : execute(d, schema_of_signatures);
}

static int insert_signature(const struct database *d, const struct mpg_history_signature *kept)
{
    const char *const text[] = {kept->version, kept->host, kept->measured, kept->path, kept->sum};
    sqlite3_stmt *s = prepare(d, "INSERT INTO signatures (time, version, host, measured, path, sum, signature)"
                                 " VALUES (strftime('%Y-%m-%d %H:%M:%S', 'now'), ?1, ?2, ?3, ?4, ?5, ?6)");
    for (int i = 0; i < 5; i++)
        bind_text(s, i + 1, text[i]);
    if (s)
        sqlite3_bind_blob64(s, 6, kept->text, kept->bytes, SQLITE_STATIC);
    if (s && sqlite3_step(s) == SQLITE_DONE)
        return sqlite3_finalize(s), 0;
    if (s && (sqlite3_errcode(d->db) & 0xff) == SQLITE_CONSTRAINT)
        mpg_error_set(d->err, "%s: %s is kept already", d->file, kept->path);
    else if (s)
        set_error(d);
    sqlite3_finalize(s);
    return -1;
}

int mpg_history_keep(const char *file, const struct mpg_history_signature *kept, int64_t *id, struct mpg_error *err)
{
    struct database d;
    const bool made = !exists(file);
    if (open_database(&d, file, true, err) < 0)
        return -1;
    int status = execute(&d, "BEGIN IMMEDIATE");
    if (status == 0 && check(&d, true) == 0 && add_signatures(&d) == 0 && insert_signature(&d, kept) == 0) {
        *id = sqlite3_last_insert_rowid(d.db);
        status = execute(&d, "COMMIT");
    } else {
        status = -1;
    }
    if (status < 0)
        roll_back(&d, made);
    sqlite3_close(d.db);
    return status;
}

/* ---- reading ---- */

/* Returns the text in COLUMN of S, valid until the next step; NULL with an error about run ID if memory is out or the
 * column is NULL, which the schema forbids. */
static const char *text_of(const struct database *d, sqlite3_stmt *s, int column, int64_t id)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    if (!text && sqlite3_errcode(d->db) == SQLITE_NOMEM)
        mpg_error_set(d->err, "out of memory");
    else if (!text)
        mpg_error_set(d->err, "%s: damaged: run %lld lacks its %s", d->file, (long long)id,
                      sqlite3_column_name(s, column));
    return text;
}

static char *copy(const struct database *d, sqlite3_stmt *s, int column, int64_t id)
{
    const char *text = text_of(d, s, column, id);
    char *copied = text ? strdup(text) : NULL;
    if (text && !copied)
        mpg_error_set(d->err, "out of memory");
    return copied;
}

static int read_answer(const struct database *d, sqlite3_stmt *s, int column, struct mpg_history_run *run)
{
    const bool is_null = sqlite3_column_type(s, column) == SQLITE_NULL; /* the type is only defined before a conversion */
    const void *answer = sqlite3_column_blob(s, column);
    run->answer_bytes = (size_t)sqlite3_column_bytes(s, column);
    if (is_null)
        return mpg_error_set(d->err, "%s: damaged: run %lld lacks its answer", d->file, (long long)run->id);
    if ((!answer && run->answer_bytes > 0) || !(run->answer = calloc(run->answer_bytes + 1, 1)))
        return mpg_error_set(d->err, "out of memory");
    if (run->answer_bytes > 0)
        memcpy(run->answer, answer, run->answer_bytes);
    return 0;
}

static int read_run(const struct database *d, sqlite3_stmt *s, struct mpg_history_run *run)
{
    run->id = sqlite3_column_int64(s, 0);
    run->seed = sqlite3_column_int64(s, 4);
    if (!(run->time = copy(d, s, 1, run->id)) || !(run->version = copy(d, s, 2, run->id)) ||
        !(run->directory = copy(d, s, 3, run->id)))
        return -1;
    return read_answer(d, s, 5, run);
}

static int read_argument(const struct database *d, sqlite3_stmt *s, struct mpg_history_run *run)
{
    const char *text = text_of(d, s, 0, run->id);
    char *now = text ? mpg_option_rename(mpg_history_renamed_options, text) : NULL;
    const int status = !text  ? -1
                       : !now ? mpg_error_set(d->err, "out of memory")
                       : *now ? mpg_history_add_argument(run, now, d->err)
                              : 0;
    free(now);
    return status;
}

static int read_input(const struct database *d, sqlite3_stmt *s, struct mpg_history_run *run)
{
    const char *text[3];
    for (int i = 0; i < 3; i++)
        if (!(text[i] = text_of(d, s, i, run->id)))
            return -1;
    return mpg_history_add_input(run, text[0], text[1], text[2], d->err);
}

static int read_list(struct database *d, const char *sql, struct mpg_history_run *run, bool inputs)
{
    if (count_steps(d)) /* counted here, since statements of few steps never call the progress handler */
        return set_error(d);
    sqlite3_stmt *s = prepare(d, sql);
    int status = s ? 0 : -1, more = SQLITE_DONE;
    if (s)
        sqlite3_bind_int64(s, 1, run->id);
    while (status == 0 && (more = sqlite3_step(s)) == SQLITE_ROW)
        status = inputs ? read_input(d, s, run) : read_argument(d, s, run);
    if (status == 0 && more != SQLITE_DONE)
        status = set_error(d);
    sqlite3_finalize(s);
    return status;
}

static int read_lists(struct database *d, struct mpg_history_run *run)
{
    if (read_list(d, "SELECT text FROM arguments WHERE run = ?1 ORDER BY place", run, false) < 0 ||
        read_list(d, "SELECT role, path, sum FROM inputs WHERE run = ?1 ORDER BY place", run, true) < 0)
        return -1;
    return run->arguments > 0 ? 0 : mpg_error_set(d->err, "%s: damaged: run %lld has no arguments", d->file, (long long)run->id);
}

int mpg_history_each(const char *file, mpg_history_visitor *visitor, void *context, struct mpg_error *err)
{
    struct database d;
    if (open_database(&d, file, false, err) < 0)
        return -1;
    int more = SQLITE_DONE, status = check(&d, false);
    sqlite3_stmt *s = status == 0 ? prepare(&d, "SELECT id, time, version, directory, seed, '' FROM runs ORDER BY id") : NULL;
    status = s ? 0 : -1;
    while (status == 0 && (more = sqlite3_step(s)) == SQLITE_ROW) {
        struct mpg_history_run run = {.id = 0};
        status = read_run(&d, s, &run) < 0 || read_lists(&d, &run) < 0 ? -1 : visitor(context, &run, err);
        mpg_history_run_clear(&run);
    }
    if (status == 0 && more != SQLITE_DONE)
        status = set_error(&d);
    sqlite3_finalize(s);
    sqlite3_close(d.db);
    return status;
}

int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err)
{
    struct database d;
    *run = (struct mpg_history_run){.id = 0};
    if (open_database(&d, file, false, err) < 0)
        return -1;
    int status = check(&d, false), more;
    sqlite3_stmt *s =
        status == 0 ? prepare(&d, "SELECT id, time, version, directory, seed, answer FROM runs WHERE id = ?1") : NULL;
    status = -1;
    if (s) {
        sqlite3_bind_int64(s, 1, id);
        more = sqlite3_step(s);
        if (more == SQLITE_ROW)
            status = read_run(&d, s, run) < 0 ? -1 : read_lists(&d, run);
        else if (more == SQLITE_DONE)
            mpg_error_set(err, "%s: no run %lld", file, (long long)id);
        else
            set_error(&d);
    }
    sqlite3_finalize(s);
    sqlite3_close(d.db);
    return status;
}

static int read_signature(const struct database *d, sqlite3_stmt *s, struct mpg_history_signature *kept)
{
    char **const text[] = {&kept->time, &kept->version, &kept->host, &kept->measured, &kept->path, &kept->sum};
    enum { CONTENT = 7 };
    kept->id = sqlite3_column_int64(s, 0);
    for (int i = 0; i < CONTENT - 1; i++) {
        const char *found = (const char *)sqlite3_column_text(s, i + 1);
        if (!found || !(*text[i] = strdup(found)))
            return mpg_error_set(d->err, "%s: %s", d->file, found ? "out of memory" : "damaged: a signature lacks a text");
    }
    const void *content = sqlite3_column_blob(s, CONTENT);
    kept->bytes = (size_t)sqlite3_column_bytes(s, CONTENT);
    if (!content || !(kept->text = calloc(kept->bytes + 1, 1)))
        return mpg_error_set(d->err, "%s: signature %lld is empty, or out of memory", d->file, (long long)kept->id);
    memcpy(kept->text, content, kept->bytes);
    return 0;
}

/* Reads all signatures of D, if it has any. Returns 0, or -1 with an error. */
static int read_signatures(const struct database *d, mpg_history_signature_visitor *visitor, void *context)
{
    sqlite3_int64 version;
    if (query_number(d, "PRAGMA user_version", &version) < 0)
        return -1;
    if (version != FORMAT_WITH_SIGNATURES)
        return 0;
    sqlite3_stmt *s = prepare(d, "SELECT id, time, version, host, measured, path, sum, signature FROM signatures"
                                 " ORDER BY measured, id");
    int status = s ? 0 : -1, more = SQLITE_DONE;
    while (status == 0 && (more = sqlite3_step(s)) == SQLITE_ROW) {
        struct mpg_history_signature kept = {.id = 0};
        status = read_signature(d, s, &kept) < 0 ? -1 : visitor(context, &kept, d->err);
        mpg_history_signature_clear(&kept);
    }
    if (status == 0 && more != SQLITE_DONE)
        status = set_error(d);
    sqlite3_finalize(s);
    return status;
}

int mpg_history_each_signature(const char *file, mpg_history_signature_visitor *visitor, void *context, struct mpg_error *err)
{
    struct database d;
    if (open_database(&d, file, false, err) < 0)
        return -1;
    const int status = check(&d, false) < 0 ? -1 : read_signatures(&d, visitor, context);
    sqlite3_close(d.db);
    return status;
}

#else

static int without(struct mpg_error *err)
{
    return mpg_error_set(err, "this mpgkit was built without SQLite, which histories need");
}

int mpg_history_store(const char *file, const struct mpg_history_run *run, int64_t *id, struct mpg_error *err)
{
    (void)file, (void)run, (void)id;
    return without(err);
}

int mpg_history_each(const char *file, mpg_history_visitor *visitor, void *context, struct mpg_error *err)
{
    (void)file, (void)visitor, (void)context;
    return without(err);
}

int mpg_history_keep(const char *file, const struct mpg_history_signature *kept, int64_t *id, struct mpg_error *err)
{
    (void)file, (void)kept, (void)id;
    return without(err);
}

int mpg_history_each_signature(const char *file, mpg_history_signature_visitor *visitor, void *context, struct mpg_error *err)
{
    (void)file, (void)visitor, (void)context;
    return without(err);
}

int mpg_history_find(const char *file, int64_t id, struct mpg_history_run *run, struct mpg_error *err)
{
    (void)file, (void)id;
    *run = (struct mpg_history_run){.id = 0};
    return without(err);
}

#endif
