/* harness/verify/base/meeting.h - threads that meet in the middle of what they do. */
#ifndef VERIFY_MEETING_H
#define VERIFY_MEETING_H

enum { MEETING_THREADS = 4 };

/* Calls once(self[k]) again and again in thread k of four, until they have been interrupted so many times:
 * one lies down for a moment wherever it stands, and the others go on, so that threads meet on one processor
 * too. Returns how many threads there were; fewer than four: some could not be made. */
int meeting_hold(void (*once)(void *self), void *const self[MEETING_THREADS], int interruptions);

#endif
