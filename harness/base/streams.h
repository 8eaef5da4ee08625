/* harness/base/streams.h - where this program prints.
 *
 * What it says passes one writer each for results and for messages. There, bytes that a terminal would obey
 * are shown and not sent: control characters as \u001b, and what is not UTF-8, C1 controls and marks that
 * change the direction of text byte by byte as \x9b. Line ends and tabs pass. Texts of arguments, files and
 * modules may so be printed as they are.
 *
 * The process's own stdout belongs to foreign code (modules, libraries): whatever it prints there goes to
 * stderr, and never into results. */
#ifndef BASE_STREAMS_H
#define BASE_STREAMS_H

#include <stdbool.h>
#include <stdio.h>

/* At the start of main, before any file is opened: opens descriptors 0 to 2 on /dev/null where they are
 * closed, so that no file gets their numbers; keeps standard output under a private descriptor, and leaves 1
 * to foreign code. false: there is no descriptor left, or no memory. Without it the streams are stdout and
 * stderr. */
bool streams_open(void);
/* Writes what is left of results; false when any could not be written, since streams_open. */
bool streams_finish(void);

/* Gives the process its standard output back, for a program that takes its place (exec). false: as streams_finish. */
bool streams_hand_over(void);

FILE *our_stdout(void); /* results */
FILE *our_stderr(void); /* messages */
/* printf to our_stdout(). */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "sensbench: message" and a line end to our_stderr(), after all results. Line ends in the message are shown
 * as \n: no foreign text passes for a message of its own. */
void complain_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Words of text in lines of at most 100 columns, each after the indent. */
void write_paragraph(FILE *out, const char *indent, const char *text);

/* The file of a path given by the user, to be written anew; /dev/stdout is where results go. NULL: errno. */
FILE *create_file(const char *path);

/* The same, but whole or not at all: what is there stays as it is until its successor is written. What is no plain
 * file, as /dev/stdout or a link, is written to, and not replaced. */
struct successor {
    FILE *file;
    bool in_place;
    char path[4096], part[4096 + 8]; /* part: where it is written */
};
/* false: errno. */
bool successor_open(struct successor *made, const char *path);
/* good: what was to be written has been; else what is there stays. false: it stays as well; errno. */
bool successor_close(struct successor *made, bool good);
/* Is path there, and no plain file? */
bool is_stream(const char *path);

/* How many bytes the text takes as it is shown, for tests: writes to shown[size], cut to it. */
size_t shown_text(const char *text, size_t length, char *shown, size_t size);

#endif
