/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "common/machine.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/peek.h"

enum { MAX_CORES = 16384 };

extern char **environ;

/* --- processor and kernel --- */

char *mpg_machine_cpu(char *text, size_t size)
{
    static const char *const keys[] = {"model name", "cpu\t"};
    char file[4096];
    mpg_peek("/proc/cpuinfo", file, sizeof file);
    snprintf(text, size, "unknown");
    for (const char *line = file; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (int i = 0; i < 2; i++) {
            const char *colon = strstr(line, ": ");
            const size_t length = strcspn(line, "\n");
            if (strncmp(line, keys[i], strlen(keys[i])) != 0 || !colon || colon > line + length)
                continue;
            snprintf(text, size, "%.*s", (int)(line + length - colon - 2), colon + 2);
            return text;
        }
    }
    return text;
}

char *mpg_machine_kernel(char *text, size_t size)
{
    struct utsname u;
    if (uname(&u) < 0)
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%s %s %s %s", u.sysname, u.release, u.version, u.machine);
    return text;
}

/* --- settings --- */

/* Prefixes of MPI settings. Prefixes with NOT are excluded: these variables are set by launchers, or differ between runs, or
 * define the placement of processes and not the communication. */
static const struct {
    const char *prefix;
    bool not;
} families[] = {
    {"OMPI_MCA_orte_", true},      {"OMPI_MCA_prte_", true},     {"OMPI_MCA_ess", true},
    {"OMPI_MCA_pmix", true},       {"OMPI_MCA_plm", true},       {"OMPI_MCA_ras", true},
    {"OMPI_MCA_rmaps", true},      {"OMPI_MCA_state", true},     {"OMPI_MCA_oob", true},
    {"OMPI_MCA_rml", true},        {"OMPI_MCA_routed", true},    {"OMPI_MCA_grpcomm", true},
    {"OMPI_MCA_iof", true},        {"OMPI_MCA_odls", true},      {"OMPI_MCA_errmgr", true},
    {"OMPI_MCA_schizo", true},     {"OMPI_MCA_filem", true},     {"OMPI_MCA_initial_wdir", true},
    {"OMPI_MCA_hwloc", true},      {"OMPI_MCA_shmem_RUNTIME", true},
    {"OMPI_MCA_mpi_oversubscribe", true},                        {"OMPI_MCA_mca_base", true},
    {"OMPI_MCA_PREFIXES", true},   {"OMPI_MCA_cpu_type", true},  {"OMPI_MCA_num_", true},
    {"OMPI_MCA_", false},          {"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", true},
    {"MPIR_CVAR_", false},         {"MPICH_", false},            {"UCX_", false},
    {"FI_", false},                {"PSM2_DEVICES", true},
    {"PSM2_", false},              {"PSM3_DEVICES", true},      {"PSM3_", false},
    {"HCOLL_", false},             {"I_MPI_HYDRA", true},        {"I_MPI_ROOT", true},
    {"I_MPI_MPIRUN", true},        {"I_MPI_PIN", true},          {"I_MPI_INFO", true},
    {"I_MPI_", false},             {"MV2_COMM_WORLD", true},     {"MV2_", false},
};

static bool is_setting(const char *entry)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(entry, families[i].prefix, strlen(families[i].prefix)) == 0)
            return !families[i].not;
    return false;
}

/* Returns the alphabetically next setting after LAST, or NULL. */
static const char *next_setting(const char *last)
{
    const char *next = NULL;
    for (char **entry = environ; entry && *entry; entry++)
        if (is_setting(*entry) && strcmp(*entry, last) > 0 && (!next || strcmp(*entry, next) < 0))
            next = *entry;
    return next;
}

char *mpg_machine_mpi_settings(char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (const char *s = ""; (s = next_setting(s)) != NULL && used < size;)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", s);
    if (used >= size && size > 4)
        strcpy(text + size - 4, "...");
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return text;
}

/* --- cores --- */

int mpg_machine_cores(char *text, size_t size)
{
    unsigned long set[MAX_CORES / (8 * sizeof(unsigned long))] = {0};
    size_t used = 0;
    int n = 0;
    text[0] = '\0';
    if (sched_getaffinity(0, sizeof set, (cpu_set_t *)(void *)set) < 0)
        return 0;
    for (int core = 0, first = -1; core <= MAX_CORES; core++) {
        const bool is_in = core < MAX_CORES &&
                           CPU_ISSET_S((size_t)core, sizeof set, (cpu_set_t *)(void *)set);
        n += is_in;
        if (is_in && first < 0)
            first = core;
        if (is_in || first < 0)
            continue;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", first);
        if (core - 1 > first && used < size)
            used += (size_t)snprintf(text + used, size - used, "-%d", core - 1);
        first = -1;
    }
    if (used >= size) /* no list: a truncated list would name other cores */
        text[0] = '\0';
    return n;
}

double mpg_machine_core_limit(void)
{
    char group[4096], path[4200], text[64];
    double quota, period;
    mpg_peek("/proc/self/cgroup", group, sizeof group);
    const char *own = strncmp(group, "0::", 3) == 0 ? group : strstr(group, "\n0::");
    if (!own)
        return 0;
    own += (*own == '\n') + 3;
    snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/cpu.max", (int)strcspn(own, "\n"), own);
    mpg_peek(path, text, sizeof text);
    return sscanf(text, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0
               ? quota / period : 0;
}

unsigned mpg_machine_threads(void)
{
    char cores[64]; /* a list of cores, unused */
    const double n = mpg_machine_cores(cores, sizeof cores), max = mpg_machine_core_limit();
    const unsigned rounded = max > 0 && max < n ? (unsigned)max + ((double)(unsigned)max < max) : (unsigned)n;
    return rounded < 1 ? 1 : rounded;
}
