/* Quotas of control groups, from made-up folders of both versions. */
#define _GNU_SOURCE

#include <math.h>

#include "folder.h"
#include "quota.h"

static const char second_mounts[] = "22 1 0:20 / /proc rw - proc proc rw\n"
                                    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

static void put_second(const char *group, const char *mounts)
{
    folder_write(folder, "proc/self/cgroup", group);
    folder_write(folder, "proc/self/mountinfo", mounts);
}

static void version_two(void **state)
{
    (void)state;
    put_second("0::/user/job\n", second_mounts);
    assert_true(isinf(quota_processors(folder)));
    folder_write(folder, "sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
    assert_true(isinf(quota_processors(folder)));
    folder_write(folder, "sys/fs/cgroup/user/job/cpu.max", "350000 100000\n");
    assert_true(quota_processors(folder) == 3.5);
    folder_write(folder, "sys/fs/cgroup/user/cpu.max", "100000 50000\n"); /* the group above has less */
    assert_true(quota_processors(folder) == 2);
    folder_write(folder, "sys/fs/cgroup/cpu.max",
                 "10000 100000\n"); /* the top, as a container sees its own */
    assert_true(quota_processors(folder) == 0.1);
    folder_write(folder, "sys/fs/cpu.max", "1 100000\n"); /* no group */
    assert_true(quota_processors(folder) == 0.1);
}

/* A container without a view of its own: the path is that of the host, the mount point is its group. */
static void version_two_below(void **state)
{
    (void)state;
    put_second("0::/docker/abc/in\n", "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    folder_write(folder, "sys/fs/cgroup/cpu.max", "800000 100000\n");
    folder_write(folder, "sys/fs/cgroup/in/cpu.max", "400000 100000\n");
    assert_true(quota_processors(folder) == 4);
    put_second("0::/docker/abcd\n", "31 23 0:28 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    assert_true(quota_processors(folder) == 8); /* elsewhere: only what can be seen */
}

static void version_one(void **state)
{
    (void)state;
    put_second("9:cpuset:/other\n3:cpuacct,cpu:/job\n0::/\n",
               "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
               "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
    folder_write(folder, "sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "1\n");
    folder_write(folder, "sys/fs/cgroup/cpuset/other/cpu.cfs_period_us", "1000\n");
    assert_true(isinf(quota_processors(folder)));
    folder_write(folder, "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    folder_write(folder, "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_true(isinf(quota_processors(folder)));
    folder_write(folder, "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
    assert_true(quota_processors(folder) == 1.5);
    folder_write(folder, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us",
                 "20000\n"); /* without a period: none */
    assert_true(quota_processors(folder) == 1.5);
}

static void malformed(void **state)
{
    (void)state;
    static const char *const none[] = {"",    "100000",    "x 100000", "100000 x", "0 100000",
                                       "5 0", "-5 100000", "5 5 5",    "5 -5",     "\n"};
    assert_true(isinf(quota_processors("/no/such/folder")));
    assert_true(isinf(quota_processors(folder)));
    put_second("0::/\n", second_mounts);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        folder_write(folder, "sys/fs/cgroup/cpu.max", none[i]);
        assert_true(isinf(quota_processors(folder)));
    }
    folder_write(folder, "sys/fs/cgroup/cpu.max", "100000 50000");
    static const char *const groups[] = {"", "0", "0:", "0::", "0::job", "1::/", ":::"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        put_second(groups[i], second_mounts);
        assert_true(isinf(quota_processors(folder)));
    }
    static const char *const mounts[] = {"", " - ", " - cgroup2", "31 23 0:28 / - cgroup2 cgroup2 rw\n",
                                         "31 23 0:28 / /sys/fs/cgroup rw cgroup2 cgroup2 rw\n"};
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        put_second("0::/\n", mounts[i]);
        assert_true(isinf(quota_processors(folder)));
    }
    put_second("0::/\n", second_mounts);
    assert_true(quota_processors(folder) == 2);
}

static void whole_workers(void **state)
{
    (void)state;
    assert_int_equal(quota_workers(8, INFINITY), 8);
    assert_int_equal(quota_workers(8, 8), 8);
    assert_int_equal(quota_workers(8, 7.99), 7);
    assert_int_equal(quota_workers(8, 1.5), 1);
    assert_int_equal(quota_workers(8, 0.1), 1);
    assert_int_equal(quota_workers(2, 64), 2);
    assert_int_equal(quota_workers(0, INFINITY), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(version_two, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(version_two_below, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(version_one, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(malformed, folder_setup, folder_teardown),
        cmocka_unit_test(whole_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
