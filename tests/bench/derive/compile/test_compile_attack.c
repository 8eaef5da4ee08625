/* harness/derive/compile under attack: compilers that hang, die or lie, a disk that is full, entries that are
 * cut, changed or another's, folders that others may write to, and several processes at once. Nothing is ever
 * loaded that is not what was asked for. */
#include "compile_support.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "entry.h"

/* Nothing was loaded, and nothing is left that could be. */
static void fails(struct place *place, sens_status expected, const char *sentence)
{
    struct compiled compiled;
    struct bench_error error;
    sens_status status;
    assert_int_equal(value_of(answer, &compiled, &status, &error), -1);
    if (status != expected || !strstr(error.text, sentence))
        print_error("%s, expected %s and '%s': %s\n", sens_status_name(status), sens_status_name(expected),
                    sentence, error.text);
    assert_int_equal(status, expected);
    assert_non_null(strstr(error.text, sentence));
    assert_int_equal(count_names(at(place, "cache")), 0);
    assert_int_equal(count_names(at(place, "tmp")), 0);
}

/* ---- the compiler -------------------------------------------------------------------------------------- */

static void test_compilers_that_lie(void **state)
{
    static const struct {
        const char *body, *sentence;
    } attack[] = {
        {"exit 0", "wrote no object"},
        {"exit 3", "ended with 3"},
        {"echo 'no such flag' >&2; exit 1", "no such flag"},
        {"kill -9 $$", "died of signal 9"},
        {": >products.so", "cut, or none"},
        {"echo garbage >products.so", "cut, or none"},
        {"gcc \"$@\" && truncate -s 3000 products.so", "cut, or none"},
        {"gcc \"$@\" && truncate -s 300 products.so", "cut, or none"},
        {"gcc \"$@\" && kill -9 $$", "died of signal 9"},
        {"ln -s /etc/passwd products.so", "wrote no object"},
        {"gcc \"$@\" && mv products.so elsewhere && ln -s elsewhere products.so", "wrote no object"},
        {"mkfifo products.so", "no file, or too large"},
        {"mkdir products.so", "wrote no object"},
        {"echo 'int value(void){return 13;}' >other.c; gcc -shared -fPIC -o products.so other.c",
         "does not carry its key"},
        {"sed 's/_key\\[] = \"./&x/' products.c >other.c; gcc -shared -fPIC -o products.so other.c",
         "does not carry its key"},
        {"yes | head -c 300000; exit 7", "ended with 7"},
        {"gcc \"$@\" && truncate -s 300M products.so", "no file, or too large"},
    };
    struct place *place = *state;
    for (size_t i = 0; i < sizeof attack / sizeof *attack; i++) {
        fake_compiler(place, attack[i].body);
        fails(place, SENS_UNAVAILABLE, attack[i].sentence);
    }
    write_text(at(place, "fake"), "#!/bin/sh\nexit 1\n", 0700); /* does not tell its version */
    fails(place, SENS_UNAVAILABLE, "ended with 1");
    write_text(at(place, "fake"), "#!/no/such/interpreter\n", 0700);
    fails(place, SENS_UNAVAILABLE, "cannot be run");
}

/* One that hangs is stopped, with what it has started; one whose child holds on to its output is not waited for. */
static void test_compilers_that_hang(void **state)
{
    struct place *place = *state;
    char body[256];
    fake_compiler(place, "sleep 1000");
    fails(place, SENS_TIMEOUT, "stopped after 2 s");
    fake_compiler(place, "exec >&- 2>&-; while :; do :; done");
    fails(place, SENS_TIMEOUT, "stopped after 2 s");
    snprintf(body, sizeof body, "sleep 1000 & echo $! >%s; exec gcc \"$@\"", at(place, "child"));
    fake_compiler(place, body);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    int child = 0;
    FILE *file = fopen(at(place, "child"), "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &child), 1);
    fclose(file);
    for (int wait = 0; wait < 200 && kill(child, 0) == 0; wait++) usleep(10000); /* until init has it */
    snprintf(body, sizeof body, "/proc/%d/stat", child);
    char letter = 'Z'; /* where nobody takes it over, it stays dead */
    file = fopen(body, "r");
    if (file) assert_int_equal(fscanf(file, "%*d (sleep) %c", &letter), 1);
    if (file) fclose(file);
    assert_int_equal(letter, 'Z');
}

/* What it is killed over stays in a folder of its own, and goes when it is old. */
static void test_killed_in_between(void **state)
{
    struct place *place = *state;
    fake_compiler(place, "gcc \"$@\"; sleep 1000");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        value_is(answer, SENS_OK, false);
        _exit(0);
    }
    for (int wait = 0; wait < 300 && count_names(at(place, "cache")) == 0; wait++) usleep(10000);
    usleep(200000);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    unsetenv("CC");
    assert_int_equal(count_names(at(place, "cache")), 1);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    assert_int_equal(count_names(at(place, "cache")), 2);
    DIR *folder = opendir(at(place, "cache"));
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, ".sensbench-work-", 16) == 0) {
            static const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
            assert_int_equal(utimensat(dirfd(folder), entry->d_name, old, 0), 0);
        }
    closedir(folder);
    assert_int_equal(value_is("int value(void);\nint value(void) { return 5; }\n", SENS_OK, false), 5);
    assert_int_equal(count_names(at(place, "cache")), 2); /* two entries */
}

static void test_processes_at_once(void **state)
{
    enum { PROCESSES = 6 };
    struct place *place = *state;
    pid_t child[PROCESSES];
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++)
        if ((child[i] = fork()) == 0) {
            bool right = true;
            for (int k = 0; k < 4; k++) {
                char text[80];
                struct compiled compiled;
                struct bench_error error;
                sens_status status;
                snprintf(text, sizeof text, "int value(void);\nint value(void) { return %d; }\n", 7 * k);
                right = value_of(text, &compiled, &status, &error) == 7 * k && right;
            }
            _exit(right ? 0 : 1);
        }
    for (int i = 0; i < PROCESSES; i++) {
        int how = -1;
        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
        assert_int_equal(how, 0);
    }
    assert_int_equal(count_names(at(place, "cache")), 4);
}

/* ---- the disk ------------------------------------------------------------------------------------------ */

/* As a disk does that is full, files end at every length up to that of a whole entry. */
static void test_full_disk(void **state)
{
    struct place *place = *state;
    struct rlimit former;
    struct stat about;
    assert_int_equal(stat(make_entry(place), &about), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &former), 0);
    const rlim_t whole = (rlim_t)about.st_size;
    assert_int_equal(unlink(place->path), 0);
    const rlim_t room[] = {0, 1, 40, 80, 400, whole / 4, whole / 2, whole - 200, whole - 100, whole - 1};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        struct compiled compiled;
        struct bench_error error;
        sens_status status;
        const struct rlimit limit = {room[i], former.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const int value = value_of(answer, &compiled, &status, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
        assert_int_equal(value, -1);
        assert_true(status == SENS_IO_ERROR || status == SENS_UNAVAILABLE);
        assert_int_equal(count_names(at(place, "cache")), 0);
    }
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
}

static void test_folder_to_read_only(void **state)
{
    struct place *place = *state;
    make_entry(place);
    assert_int_equal(chmod(at(place, "cache"), 0500), 0);
    assert_int_equal(value_is(answer, SENS_OK, true), 42);
    assert_int_equal(value_is("int value(void);\nint value(void) { return 1; }\n", SENS_IO_ERROR, false), -1);
    assert_int_equal(chmod(at(place, "cache"), 0700), 0);
}

/* ---- entries ------------------------------------------------------------------------------------------- */

static void test_damaged_entries(void **state)
{
    struct place *place = *state;
    struct stat about;
    char path[256];
    snprintf(path, sizeof path, "%s", make_entry(place));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    const off_t size = about.st_size, cut[] = {0, 1, 100, 4096, size / 2, size - 100, size - 1};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        assert_int_equal(truncate(path, cut[i]), 0);
        assert_int_equal(value_is(answer, SENS_OK, false), 42);
        assert_int_equal(value_is(answer, SENS_OK, true), 42);
    }
    for (off_t place_of_byte = 0; place_of_byte < size; place_of_byte += 997) {
        char byte;
        const int file = open(path, O_RDWR);
        assert_int_equal(pread(file, &byte, 1, place_of_byte), 1);
        byte ^= 1;
        assert_int_equal(pwrite(file, &byte, 1, place_of_byte), 1);
        close(file);
        assert_int_equal(value_is(answer, SENS_OK, false), 42);
    }
    assert_int_equal(truncate(path, size + 1), 0);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
}

/* Under the name of another: as a whole; with a good seal of that name, as one of another compiler would be. */
static void test_entries_of_others(void **state)
{
    struct place *place = *state;
    struct compiled other;
    struct bench_error error;
    sens_status status;
    char wanted[256], found[256], command[800], key[COMPILE_KEY + 1];
    snprintf(wanted, sizeof wanted, "%s", make_entry(place));
    snprintf(key, sizeof key, "%.*s", COMPILE_KEY, strrchr(wanted, '/') + 1);
    assert_int_equal(value_of("int value(void);\nint value(void) { return 13; }\n", &other, &status, &error),
                     13);
    snprintf(found, sizeof found, "%s/cache/%s.so", place->base, other.key);
    compiled_close(&other);
    snprintf(command, sizeof command, "cp '%s' '%s'", found, wanted);
    assert_int_equal(system(command), 0);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    snprintf(command, sizeof command, "echo 'int value(void){return 13;}' | gcc -shared -fPIC -x c -o '%s' -",
             wanted);
    assert_int_equal(system(command), 0);
    const int file = open(wanted, O_RDWR);
    assert_int_equal(entry_seal(file, key, &error), SENS_OK);
    assert_int_equal(entry_check(file, key, &error), ENTRY_SOUND);
    close(file);
    assert_int_equal(value_is(answer, SENS_OK, false), 42);
    assert_int_equal(value_is(answer, SENS_OK, true), 42);
}

/* ---- whose they are ------------------------------------------------------------------------------------ */

static void refused(const char *sentence)
{
    struct compiled compiled;
    struct bench_error error;
    sens_status status;
    assert_int_equal(value_of(answer, &compiled, &status, &error), -1);
    assert_int_equal(status, SENS_UNAVAILABLE);
    if (!strstr(error.text, sentence)) print_error("expected '%s': %s\n", sentence, error.text);
    assert_non_null(strstr(error.text, sentence));
}

static void test_open_to_others(void **state)
{
    static const mode_t open_to[] = {0777, 0770, 0702, 01777, 02775};
    struct place *place = *state;
    char entry[256];
    snprintf(entry, sizeof entry, "%s", make_entry(place));
    for (size_t i = 0; i < sizeof open_to / sizeof *open_to; i++) {
        assert_int_equal(chmod(at(place, "cache"), open_to[i]), 0);
        refused("others may write to it");
        assert_int_equal(chmod(at(place, "cache"), 0755), 0);
        assert_int_equal(value_is(answer, SENS_OK, true), 42);
        assert_int_equal(chmod(entry, open_to[i] & 0666), 0);
        refused("others may write to it");
        assert_int_equal(chmod(entry, 0644), 0);
        assert_int_equal(value_is(answer, SENS_OK, true), 42);
    }
}

static void test_of_others(void **state)
{
    struct place *place = *state;
    char entry[256];
    if (!place->root) { /* what root owns is another's */
        setenv("SENSBENCH_CACHE", "/usr", 1);
        refused("belongs to another user");
        return;
    }
    snprintf(entry, sizeof entry, "%s", make_entry(place));
    const char *const owned[] = {entry, getenv("SENSBENCH_CACHE")};
    for (size_t i = 0; i < 2; i++) {
        become(place, 0);
        assert_int_equal(chown(owned[i], OTHER_USER, OTHER_USER), 0);
        assert_int_equal(chmod(owned[i], 0755), 0);
        become(place, ORDINARY_USER);
        refused("belongs to another user");
        become(place, 0);
        assert_int_equal(chown(owned[i], ORDINARY_USER, ORDINARY_USER), 0);
        become(place, ORDINARY_USER);
        assert_int_equal(value_is(answer, SENS_OK, true), 42);
    }
}

static void test_no_files(void **state)
{
    struct place *place = *state;
    char entry[256], elsewhere[256];
    snprintf(entry, sizeof entry, "%s", make_entry(place));
    snprintf(elsewhere, sizeof elsewhere, "%s", at(place, "elsewhere.so"));
    assert_int_equal(rename(entry, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, entry), 0); /* even to one that is sound */
    refused("it is a symbolic link");
    assert_int_equal(unlink(entry), 0);
    assert_int_equal(mkfifo(entry, 0600), 0); /* nobody writes to it: reading would never end */
    refused("no regular file");
    assert_int_equal(unlink(entry), 0);
    assert_int_equal(mkdir(entry, 0700), 0);
    refused("no regular file");
    assert_int_equal(rmdir(entry), 0);
    assert_int_equal(rename(elsewhere, entry), 0);
    assert_int_equal(rename(at(place, "cache"), elsewhere), 0);
    assert_int_equal(symlink(elsewhere, at(place, "cache")),
                     0); /* a folder may be elsewhere: it is looked at */
    assert_int_equal(value_is(answer, SENS_OK, true), 42);
    assert_int_equal(chmod(elsewhere, 0777), 0);
    refused("others may write to it");
    assert_int_equal(unlink(at(place, "cache")), 0);
    write_text(at(place, "cache"), "", 0600);
    refused("Not a directory");
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_PLACE(test_compilers_that_lie),
                                       IN_PLACE(test_compilers_that_hang),
                                       IN_PLACE(test_killed_in_between),
                                       IN_PLACE(test_processes_at_once),
                                       IN_PLACE(test_full_disk),
                                       IN_PLACE(test_folder_to_read_only),
                                       IN_PLACE(test_damaged_entries),
                                       IN_PLACE(test_entries_of_others),
                                       IN_PLACE(test_open_to_others),
                                       IN_PLACE(test_of_others),
                                       IN_PLACE(test_no_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
