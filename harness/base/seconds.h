/* harness/base/seconds.h - the clock by which everything is timed. */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

double seconds_now(void); /* monotonic, from some point in the past */

#endif
