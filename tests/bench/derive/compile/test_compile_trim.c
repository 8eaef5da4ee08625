/* harness/derive/compile: old entries go when the cache is full, those first that were not used for longest. */
#include "compile_support.h"

#include "trim.h"

enum { ENTRIES = 5, SIZE = 1000 };

/* An entry of SIZE bytes, last used at `time`. */
static void put_entry(struct place *place, int number, time_t time)
{
    const struct timespec used[2] = {{time, 0}, {time, 0}};
    char name[128];
    snprintf(name, sizeof name, "cache/%064d.so", number);
    write_text(at(place, name), "", 0600);
    assert_int_equal(truncate(place->path, SIZE), 0);
    assert_int_equal(utimensat(AT_FDCWD, place->path, used, 0), 0);
}

static bool has_entry(struct place *place, int number)
{
    char name[128];
    snprintf(name, sizeof name, "cache/%064d.so", number);
    return access(at(place, name), F_OK) == 0;
}

static int open_cache(struct place *place)
{
    mkdir(at(place, "cache"), 0700);
    const int folder = open(place->path, O_RDONLY | O_DIRECTORY);
    assert_true(folder >= 0);
    return folder;
}

static void test_oldest_first(void **state)
{
    struct place *place = *state;
    const int folder = open_cache(place);
    for (int i = 0; i < ENTRIES; i++) put_entry(place, i, 1000 + (i * 3) % ENTRIES); /* order 0 2 4 1 3 */
    trim_cache(folder, ENTRIES * SIZE);
    assert_int_equal(count_names(at(place, "cache")), ENTRIES);
    trim_cache(folder, ENTRIES * SIZE - 1);
    assert_false(has_entry(place, 0));
    assert_int_equal(count_names(at(place, "cache")), ENTRIES - 1);
    trim_cache(folder, 2 * SIZE);
    assert_true(has_entry(place, 1) && has_entry(place, 3));
    assert_int_equal(count_names(at(place, "cache")), 2);
    trim_cache(folder, 0);
    assert_int_equal(count_names(at(place, "cache")), 0);
    close(folder);
}

/* Names that are not ours, links, and folders that somebody works in. */
static void test_what_is_left_alone(void **state)
{
    static const char *const theirs[] = {"cache/letter.txt", "cache/0123.so", "cache/.sensbench-work-x",
                                         "cache/x.so"};
    struct place *place = *state;
    const int folder = open_cache(place);
    char name[128], link[256];
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        write_text(at(place, theirs[i]), "theirs", 0600);
    mkdir(at(place, "cache/.sensbench-work-0123456789ab"), 0700); /* new: at work */
    mkdir(at(place, "cache/old"), 0700);
    write_text(at(place, "cache/old/letter.txt"), "theirs", 0600);
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, at(place, "cache/old"), old, 0), 0);
    snprintf(name, sizeof name, "cache/%064d.so", 7);
    snprintf(link, sizeof link, "%s", at(place, name));
    assert_int_equal(symlink(at(place, theirs[0]), link), 0);
    trim_cache(folder, 0);
    assert_int_equal(count_names(at(place, "cache")), 7);
    assert_int_equal(count_names(at(place, "cache/old")), 1);
    close(folder);
}

/* To use an entry is to keep it. */
static void test_use_counts(void **state)
{
    struct place *place = *state;
    struct stat about;
    char entry[256];
    snprintf(entry, sizeof entry, "%s", make_entry(place));
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, entry, old, 0), 0);
    put_entry(place, 1, 2000);
    assert_int_equal(value_is(answer, SENS_OK, true), 42);
    assert_int_equal(stat(entry, &about), 0);
    const int folder = open_cache(place);
    trim_cache(folder, (uint64_t)about.st_size);
    assert_int_equal(access(entry, F_OK), 0);
    assert_false(has_entry(place, 1));
    close(folder);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_PLACE(test_oldest_first), IN_PLACE(test_what_is_left_alone),
                                       IN_PLACE(test_use_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
