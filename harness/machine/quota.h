/* harness/machine/quota.h - the processors that the control groups of this process let it use at a time. */
#ifndef MACHINE_QUOTA_H
#define MACHINE_QUOTA_H

/* The least quota / period of the process's own group and of those above it, in processors: 1.5 is one and a half.
 * INFINITY: no quota, or none that can be read. `root` is "", or a folder with proc/self/cgroup, proc/self/mountinfo
 * and what these name below it. */
double quota_processors(const char *root);

/* Workers for so many cores and such a quota: the whole processors of the quota, and at least one. Rounded down: one
 * worker more than the quota feeds, and the kernel stops all of them for the rest of each period (mostly 0.1 s), while
 * the others wait for the one that is stopped. */
int quota_workers(int cores, double processors);

#endif
