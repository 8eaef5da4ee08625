/* Streams that show control bytes instead of sending them, and the descriptors below them. */
#define _GNU_SOURCE /* fopencookie */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEQUENCE = 4 }; /* bytes of a character in UTF-8 at most */

struct writer {
    int descriptor;
    bool failed;
    unsigned char held[SEQUENCE]; /* a character that is not complete yet */
    int count, wanted;
};

static struct {
    FILE *out, *err; /* NULL before streams_open */
    struct writer results, messages;
} ours;

/* ---- what is shown ------------------------------------------------------------------------------------- */

struct text { /* grows up to its size; what does not fit is counted, and left out */
    char *at;
    size_t length, size;
};

static void put(struct text *to, const void *bytes, size_t count)
{
    if (to->length + count <= to->size) memcpy(to->at + to->length, bytes, count);
    to->length += count;
}

static void put_code(struct text *to, const char *format, unsigned char byte)
{
    char code[8];
    put(to, code, (size_t)snprintf(code, sizeof code, format, byte));
}

/* Bytes of the character that this one begins in UTF-8; 0: none. */
static int sequence_length(unsigned char byte)
{
    if (byte >= 0xC2 && byte <= 0xDF) return 2;
    if (byte >= 0xE0 && byte <= 0xEF) return 3;
    return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

/* Whether the held character is one, in its shortest form, and nothing that a terminal obeys. */
static bool is_harmless(const struct writer *writer)
{
    static const unsigned long least[SEQUENCE + 1] = {0, 0, 0xA0, 0x800, 0x10000}; /* 0x80 to 0x9f: C1 */
    unsigned long code = writer->held[0] & (0x7Fu >> writer->wanted);
    for (int i = 1; i < writer->wanted; i++) code = code << 6 | (writer->held[i] & 0x3Fu);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool line = code == 0x2028 || code == 0x2029; /* line and paragraph separators */
    const bool direction = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                           (code >= 0x2066 && code <= 0x2069);
    return code >= least[writer->wanted] && code <= 0x10FFFF && !surrogate && !line && !direction;
}

static void release(struct writer *writer, struct text *to)
{
    if (writer->count > 0 && writer->count == writer->wanted && is_harmless(writer))
        put(to, writer->held, (size_t)writer->count);
    else
        for (int i = 0; i < writer->count; i++) put_code(to, "\\x%02x", writer->held[i]);
    writer->count = writer->wanted = 0;
}

static void show(struct writer *writer, unsigned char byte, struct text *to)
{
    if (writer->count > 0 && (byte & 0xC0) != 0x80) release(writer, to);
    if (writer->count > 0 || sequence_length(byte) > 0) {
        if (writer->count == 0) writer->wanted = sequence_length(byte);
        writer->held[writer->count++] = byte;
        if (writer->count == writer->wanted) release(writer, to);
    } else if (byte >= 0x80) {
        put_code(to, "\\x%02x", byte);
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
        put_code(to, "\\u%04x", byte); /* as JSON writes it, too */
    } else {
        put(to, &byte, 1);
    }
}

size_t shown_text(const char *text, size_t length, char *shown, size_t size)
{
    struct writer writer = {.descriptor = -1};
    struct text to = {.at = shown, .size = size};
    for (size_t i = 0; i < length; i++) show(&writer, (unsigned char)text[i], &to);
    release(&writer, &to);
    return to.length;
}

/* ---- streams ------------------------------------------------------------------------------------------- */

static bool write_all(struct writer *writer, const struct text *text)
{
    for (size_t done = 0; done < text->length;) {
        const ssize_t wrote = write(writer->descriptor, text->at + done, text->length - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return writer->failed = true, false;
        done += (size_t)wrote;
    }
    return true;
}

/* The write function of fopencookie: 0 tells of an error. */
static ssize_t write_shown(void *cookie, const char *data, size_t size)
{
    enum { PIECE = 4096, LONGEST = 6 * SEQUENCE }; /* what one byte may add, with all that is held */
    struct writer *writer = cookie;
    char piece[PIECE];
    struct text to = {.at = piece, .size = sizeof piece};
    for (size_t i = 0; i < size; i++) {
        show(writer, (unsigned char)data[i], &to);
        if (to.length + LONGEST <= sizeof piece && i + 1 < size) continue;
        if (!write_all(writer, &to)) return 0;
        to.length = 0;
    }
    return (ssize_t)size;
}

static FILE *open_writer(struct writer *writer, int descriptor, int buffering)
{
    *writer = (struct writer){.descriptor = descriptor};
    FILE *file = fopencookie(writer, "w", (cookie_io_functions_t){.write = write_shown});
    if (file && setvbuf(file, NULL, buffering, BUFSIZ) != 0) {
        fclose(file);
        return NULL;
    }
    return file;
}

/* The lowest free descriptor is the one that is closed: those below it are open. */
static bool open_standard(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) != descriptor) return false;
    return true;
}

bool streams_open(void)
{
    enum { FIRST_PRIVATE = 10 };
    if (!open_standard()) return false;
    const int results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_PRIVATE);
    if (results < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return false;
    ours.out = open_writer(&ours.results, results, isatty(results) ? _IOLBF : _IOFBF);
    ours.err = open_writer(&ours.messages, STDERR_FILENO, _IONBF);
    return ours.out && ours.err;
}

bool streams_finish(void)
{
    if (!ours.out) return fflush(stdout) == 0 && !ferror(stdout);
    char left[6 * SEQUENCE];
    struct text to = {.at = left, .size = sizeof left};
    const bool flushed = fflush(ours.out) == 0 && !ferror(ours.out);
    release(&ours.results, &to);
    return write_all(&ours.results, &to) && flushed && !ours.results.failed;
}

bool streams_hand_over(void)
{
    return streams_finish() && (!ours.out || dup2(ours.results.descriptor, STDOUT_FILENO) >= 0);
}

FILE *our_stdout(void)
{
    return ours.out ? ours.out : stdout;
}

FILE *our_stderr(void)
{
    return ours.err ? ours.err : stderr;
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(our_stdout(), format, arguments);
    va_end(arguments);
}

void complain_line(const char *format, ...)
{
    char text[2048], line[2 * sizeof text + 16] = "sensbench: ";
    char *end = line + strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *c = text; *c; c++) {
        if (*c == '\n') *end++ = '\\';
        *end++ = *c == '\n' ? 'n' : *c;
    }
    strcpy(end, "\n");
    fflush(our_stdout());
    fputs(line, our_stderr());
}

FILE *create_file(const char *path)
{
    if (!ours.out || (strcmp(path, "/dev/stdout") != 0 && strcmp(path, "/dev/fd/1") != 0))
        return fopen(path, "w");
    fflush(ours.out);
    const int descriptor =
        fcntl(ours.results.descriptor, F_DUPFD_CLOEXEC, 0); /* one place in the file for both */
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file && descriptor >= 0) close(descriptor);
    return file;
}

bool is_stream(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

bool successor_open(struct successor *made, const char *path)
{
    made->file = NULL;
    made->in_place = is_stream(path);
    if (snprintf(made->path, sizeof made->path, "%s", path) >= (int)sizeof made->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(made->part, sizeof made->part, "%s%s", path, made->in_place ? "" : ".part");
    made->file = create_file(made->part);
    return made->file != NULL;
}

bool successor_close(struct successor *made, bool good)
{
    const bool written = fflush(made->file) == 0 && !ferror(made->file);
    int why = errno;
    const bool closed = fclose(made->file) == 0;
    if (written && !closed) why = errno;
    bool done = good && written && closed;
    if (done && !made->in_place && rename(made->part, made->path) != 0) done = false, why = errno;
    if (!done && !made->in_place) unlink(made->part);
    errno = why;
    return done;
}

void write_paragraph(FILE *out, const char *indent, const char *text)
{
    enum { WIDTH = 100 };
    size_t column = 0;
    for (const char *word = text + strspn(text, " "); *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (column == 0 || column + 1 + length > WIDTH) {
            fprintf(out, "%s%s", column ? "\n" : "", indent);
            column = strlen(indent);
        } else {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, word);
        column += length;
        word += length;
    }
    fputc('\n', out);
}
