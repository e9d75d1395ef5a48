/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds gnuplot, runs gnuplot in a temporary folder and keeps the finished plots. */
#include "config.h"

#include "common/plots/plots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/output.h"
#include "common/progress.h"

#define LOG_NAME "gnuplot.log"

void mpg_plot_outcome_clear(struct mpg_plot_outcome *outcome)
{
    for (size_t i = 0; i < outcome->missing; i++)
        free(outcome->why[i]);
    free(outcome->why);
    *outcome = (struct mpg_plot_outcome){0};
}

static char *join(const char *folder, const char *name, const char *ending, struct mpg_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s", folder, name, ending) >= 0)
        return path;
    mpg_error_set(err, "out of memory");
    return NULL;
}

/* ---- gnuplot ---- */

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Returns the absolute path of gnuplot, to be freed by the caller: absolute, because scripts run in a different folder. */
static char *find_gnuplot(struct mpg_error *err)
{
    const char *configured = getenv("MPGKIT_GNUPLOT"), *search = getenv("PATH");
    if (configured && *configured) {
        char *path = is_program(configured) ? realpath(configured, NULL) : NULL;
        if (!path)
            mpg_error_set(err, "--plot needs gnuplot, and MPGKIT_GNUPLOT=%s is no program", configured);
        return path;
    }
    for (const char *p = search; p && *p; p += strspn(p, ":")) {
        size_t length = strcspn(p, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s/gnuplot", (int)length, p) < 0)
            break;
        char *found = is_program(path) ? realpath(path, NULL) : NULL;
        free(path);
        if (found)
            return found;
        p += length;
    }
    mpg_error_set(err, "--plot needs gnuplot, which is not on PATH: install it (Debian package"
                       " gnuplot-nox) or name it in MPGKIT_GNUPLOT");
    return NULL;
}

static volatile sig_atomic_t interrupted; /* number of the signal that interrupts the session; 0: none */

static void note_signal(int number)
{
    interrupted = number;
}

int mpg_plot_interruption(struct mpg_error *err)
{
    return interrupted ? mpg_error_set(err, "interrupted; nothing was drawn") : 0;
}

/* In the child process: executes gnuplot for SCRIPT in WORK_FOLDER, with gnuplot's messages written to a file in WORK_FOLDER.
 * Option -d ignores the user's gnuplot settings. */
static void become_gnuplot(const char *gnuplot, const char *work_folder, const char *script)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (signal(numbers[i], SIG_DFL) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    int log = -1, null = open("/dev/null", O_RDWR);
    if (chdir(work_folder) == 0)
        log = open(LOG_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (null < 0 || log < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(log, STDERR_FILENO) < 0)
        _exit(127);
    execl(gnuplot, gnuplot, "-d", script, (char *)NULL);
    _exit(127);
}

/* Copies gnuplot's last message, except warnings, into WORDS: gnuplot continues after warnings. */
static void last_words(const char *work_folder, char *words, size_t size)
{
    char line[256], *path = join(work_folder, LOG_NAME, "", NULL);
    FILE *log = path ? fopen(path, "r") : NULL;
    snprintf(words, size, "it did not say why; is the disk full?");
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] && !strstr(line, "warning: "))
            snprintf(words, size, "%.200s", line + strspn(line, " \t"));
    }
    if (log)
        fclose(log);
    free(path);
}

/* Returns true if the file ends with the end mark of the format. gnuplot truncates files on a full disk without an error. */
static bool is_whole(const char *path, const char *ending, const char *mark)
{
    char tail[64] = "", *file = NULL;
    bool whole = false;
    if (asprintf(&file, "%s%s", path, ending) < 0)
        return false;
    FILE *f = fopen(file, "rb");
    if (f && fseek(f, -32, SEEK_END) == 0) {
        size_t n = fread(tail, 1, 32, f);
        whole = memmem(tail, n, mark, strlen(mark)) != NULL;
    }
    if (f)
        fclose(f);
    free(file);
    return whole;
}

static int run(const char *gnuplot, const struct plot_session *session, const char *name,
               struct mpg_error *err)
{
    char words[256], script[PLOT_NAME + 8];
    int status;
    snprintf(script, sizeof script, "%s.gp", name);
    pid_t child = fork();
    if (child < 0)
        return mpg_error_errno(err, errno, "cannot start gnuplot");
    if (child == 0)
        become_gnuplot(gnuplot, session->work_folder, script);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return mpg_error_errno(err, errno, "waiting for gnuplot");
        if (interrupted)
            kill(child, SIGTERM);
    }
    if (mpg_plot_interruption(err) < 0)
        return -1;
    char *path = join(session->work_folder, name, "", err);
    if (!path)
        return -1;
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                is_whole(path, ".svg", "</svg>") && is_whole(path, ".png", "IEND");
    free(path);
    if (good)
        return 0;
    last_words(session->work_folder, words, sizeof words);
    return mpg_error_set(err, "%s failed to draw %s: %s", gnuplot, name, words);
}

/* ---- the session ---- */

/* Removes the folder PATH and all files in PATH, which belong to the session. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    (void)rmdir(path);
}

static int draw_all(struct plot_session *session, plot_draw *draw, const void *what, const char *gnuplot,
                    struct mpg_error *err)
{
    struct mpg_progress progress;
    char label[64];
    if (draw(session, what, err) < 0)
        return -1;
    snprintf(label, sizeof label, "%s: drawing", session->options->maker);
    mpg_progress_start(&progress, label, (int64_t)session->names);
    int status = mpg_plot_interruption(err);
    for (size_t i = 0; i < session->names && status == 0; i++) {
        status = run(gnuplot, session, session->name[i], err);
        mpg_progress_update(&progress, (int64_t)i + 1);
    }
    mpg_progress_end(&progress);
    return status;
}

static int move(const struct plot_session *session, const char *name, const char *ending,
                struct mpg_error *err)
{
    int status = -1;
    char *from = join(session->work_folder, name, ending, err);
    char *to = from ? join(session->options->folder, name, ending, err) : NULL;
    if (to)
        status = rename(from, to) == 0 ? 0 : mpg_error_errno(err, errno, "%s", to);
    free(from);
    free(to);
    return status;
}

static int keep_all(struct plot_session *session, struct mpg_error *err)
{
    static const char *const endings[] = {".svg", ".png", ".gp", ".dat"};
    int n = session->options->keep ? 4 : 2;
    for (size_t i = 0; i < session->names; i++)
        for (int e = 0; e < n; e++)
            if (move(session, session->name[i], endings[e], err) < 0)
                return -1;
    session->outcome->plots = session->names;
    return 0;
}

/* Makes the plots in a subfolder of the output folder, from where rename(2) can move the plots. */
static int plot_in_subfolder(struct plot_session *session, plot_draw *draw, const void *what, const char *gnuplot,
                             struct mpg_error *err)
{
    int status = -1;
    if (!(session->work_folder = join(session->options->folder, ".plots.XXXXXX", "", err)))
        return -1;
    if (!mkdtemp(session->work_folder)) {
        mpg_error_errno(err, errno, "%s", session->options->folder);
    } else {
        if (draw_all(session, draw, what, gnuplot, err) == 0)
            status = keep_all(session, err);
        if (session->script)
            fclose(session->script);
        if (session->data)
            fclose(session->data);
        remove_folder(session->work_folder);
    }
    free(session->work_folder);
    free(session->name);
    return status;
}

int mpg_plot_all(const struct mpg_plot_options *options, plot_draw *draw, const void *what, struct mpg_plot_outcome *outcome,
                 struct mpg_error *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    enum { SIGNALS = sizeof numbers / sizeof *numbers };
    struct sigaction before[SIGNALS], noting = {.sa_handler = note_signal};
    struct plot_session session = {.options = options, .outcome = outcome};
    struct stat st;
    *outcome = (struct mpg_plot_outcome){0};
    char *gnuplot = find_gnuplot(err);
    if (!gnuplot)
        return -1;
    bool was_there = stat(options->folder, &st) == 0;
    if (mpg_directory_make(options->folder, err) < 0) {
        free(gnuplot);
        return -1;
    }
    interrupted = 0;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* a signal that the program ignores, as SIGHUP under nohup(1), stays ignored */
            sigaction(numbers[i], &noting, NULL);
    }
    int status = plot_in_subfolder(&session, draw, what, gnuplot, err);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(numbers[i], &before[i], NULL);
    free(gnuplot);
    if (status < 0) {
        mpg_plot_outcome_clear(outcome);
        if (!was_there)
            (void)rmdir(options->folder);
        outcome->interrupted = interrupted;
        (void)mpg_plot_interruption(err); /* "interrupted" says more than gnuplot's own message, which ERR holds */
    }
    return status;
}
