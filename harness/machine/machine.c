/* The machine a result was measured on, as hwloc sees it; the clock. */
#include <ctype.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "build_info.h"
#include "files.h"
#include "git_stamp.h"
#include "machine.h"

double machine_processor_time(int pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

const char *machine_git(void)
{
    return SENS_GIT_TEXT;
}

unsigned long machine_program(void)
{
    unsigned long sum;
    return file_sum("/proc/self/exe", &sum) ? sum : 0;
}

/* false: hwloc cannot read this machine (nothing to destroy then). */
static bool topology_open(hwloc_topology_t *topology)
{
    if (hwloc_topology_init(topology) != 0) return false;
    if (hwloc_topology_load(*topology) == 0) return true;
    hwloc_topology_destroy(*topology);
    return false;
}

static const char *cpu_model(hwloc_topology_t topology)
{
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    return model && *model ? model : "unknown";
}

static int count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? count : 0;
}

/* Lower-case letters and digits of text, runs of anything else as one '-'. */
static void slug(const char *text, char *name, size_t size)
{
    size_t used = 0;
    for (; *text && used + 1 < size; text++) {
        const unsigned char c = (unsigned char)*text;
        if (isalnum(c) && c < 0x80)
            name[used++] = (char)tolower(c);
        else if (used && name[used - 1] != '-')
            name[used++] = '-';
    }
    while (used && name[used - 1] == '-') used--;
    name[used] = '\0';
}

static void find_name(char *name, size_t size)
{
    const char *given = getenv("SENSBENCH_MACHINE");
    char text[128] = "unknown";
    hwloc_topology_t topology;
    if (given && *given) {
        snprintf(text, sizeof text, "%s", given);
    } else if (topology_open(&topology)) {
        snprintf(text, sizeof text, "%.100s %dc", cpu_model(topology), count_of(topology, HWLOC_OBJ_CORE));
        hwloc_topology_destroy(topology);
    }
    slug(text, name, size);
    if (!name[0]) snprintf(name, size, "unknown");
}

const char *machine_name(void)
{
    static char name[64]; /* found once: the machine does not change while the program runs */
    if (!name[0]) find_name(name, sizeof name);
    return name;
}

static void write_caches(FILE *out, hwloc_topology_t topology)
{
    static const struct {
        hwloc_obj_type_t type;
        const char *name;
    } cache[] = {{HWLOC_OBJ_L1CACHE, "L1d"}, {HWLOC_OBJ_L2CACHE, "L2"}, {HWLOC_OBJ_L3CACHE, "L3"}};
    fputs("#! caches:", out);
    for (size_t i = 0; i < sizeof cache / sizeof cache[0]; i++) {
        const hwloc_obj_t object = hwloc_get_obj_by_type(topology, cache[i].type, 0);
        if (object)
            fprintf(out, " %s %d x %llu KiB", cache[i].name, count_of(topology, cache[i].type),
                    (unsigned long long)(object->attr->cache.size / 1024));
    }
    fputc('\n', out);
}

static void write_hardware(FILE *out)
{
    hwloc_topology_t topology;
    if (!topology_open(&topology)) {
        fputs("#! cpu: unknown\n", out);
        return;
    }
    fprintf(out, "#! cpu: %s\n", cpu_model(topology));
    fprintf(out, "#! cores: %d (hardware threads: %d)\n", count_of(topology, HWLOC_OBJ_CORE),
            count_of(topology, HWLOC_OBJ_PU));
    write_caches(out, topology);
    fprintf(out, "#! memory: %llu MiB\n",
            (unsigned long long)(hwloc_get_root_obj(topology)->total_memory / (1024 * 1024)));
    hwloc_topology_destroy(topology);
}

void machine_write_prelude(FILE *out, const char *sweep)
{
    const time_t now = time(NULL);
    struct tm utc;
    char date[32] = "unknown";
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out, "#! schema: sens-result/1\n#! sweep: %s\n#! date: %s\n", sweep, date);
    fprintf(out, "#! program: sensbench %s, git %s\n", SENS_VERSION_TEXT, machine_git());
    fprintf(out, "#! machine: %s\n", machine_name());
    write_hardware(out);
    struct utsname os;
    if (uname(&os) >= 0) fprintf(out, "#! system: %s %s %s\n", os.sysname, os.release, os.machine);
    fprintf(out, "#! compiler: %s\n#! flags: %s\n", SENS_COMPILER_TEXT, SENS_C_FLAGS_TEXT);
    fprintf(out, "#! libraries: %s\n", SENS_LIBRARIES_TEXT);
}
