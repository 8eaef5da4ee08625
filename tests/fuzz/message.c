/* What a child process says to its parent. The input is a script, from which a stream of bytes is made:
 *
 *     'b' L  bytes         the next L bytes as they are
 *     'f' k L  bytes       a message of kind k with these bytes, its size and its checksum right
 *     'r' k L H A  bytes   a record as the child would send it, with these bytes in it at 256 H + 16 A
 *     'v' L H A  bytes     a result of verify, likewise
 *
 * It is read as by the parents of run, sweep and verify. What is taken can be stored, reported and read
 * again. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "record.h"
#include "verify_child.h"

enum { HEADER = 4 * sizeof(uint32_t) }; /* of a message: process.c */

struct script {
    const uint8_t *next, *end;
};

static uint8_t byte(struct script *script)
{
    return script->next < script->end ? *script->next++ : 0;
}

/* Copies a part of the script over a part of what is sent. */
static void patch(struct script *script, size_t length, void *bytes, size_t size)
{
    const size_t at = 256 * (size_t)byte(script) + 16 * (size_t)byte(script);
    for (; length > 0 && script->next < script->end; length--) {
        const uint8_t value = byte(script);
        if (at + length <= size) ((uint8_t *)bytes)[at + length - 1] = value;
    }
}

/* ---- the child's side ---------------------------------------------------------------------------------- */

static void send_raw(struct script *script, int socket)
{
    size_t length = byte(script);
    if (length > (size_t)(script->end - script->next)) length = (size_t)(script->end - script->next);
    fuzz_promise(send(socket, script->next, length, 0) == (ssize_t)length, "bytes can be sent");
    script->next += length;
}

static void send_frame(struct script *script, int socket)
{
    const int kind = byte(script);
    size_t length = byte(script);
    if (length > (size_t)(script->end - script->next)) length = (size_t)(script->end - script->next);
    process_send(socket, kind, script->next, length);
    script->next += length;
}

static void send_record(struct script *script, int socket)
{
    static struct record_image image; /* each byte is set below */
    struct record *rec = record_create();
    fuzz_promise(rec, "there is memory for a record");
    record_set_status(rec, SENS_OK, "");
    record_pack(rec, &image);
    free(rec);
    const int kind = byte(script);
    patch(script, byte(script), &image, sizeof image);
    process_send(socket, kind, &image, sizeof image);
}

static void send_result(struct script *script, int socket)
{
    struct child_message message;
    memset(&message, 0, sizeof message);
    patch(script, byte(script), &message, sizeof message);
    process_send(socket, CHILD_MESSAGE, &message, sizeof message);
}

/* One step of the script; false at its end. */
static bool send_next(struct script *script, int socket)
{
    if (script->next == script->end) return false;
    switch (byte(script)) {
    case 'b':
        send_raw(script, socket);
        break;
    case 'f':
        send_frame(script, socket);
        break;
    case 'r':
        send_record(script, socket);
        break;
    case 'v':
        send_result(script, socket);
        break;
    default:
        break;
    }
    return true;
}

/* ---- the parent's side --------------------------------------------------------------------------------- */

static void check_record(const void *bytes)
{
    struct record *rec = record_create();
    struct table table;
    struct bench_error error = {.text = ""};
    char *text = NULL;
    size_t size = 0;
    fuzz_promise(rec, "there is memory for a record");
    if (record_unpack(bytes, rec) && rec->text[COL_status][0]) {
        FILE *out = open_memstream(&text, &size);
        fuzz_promise(out, "there is memory for a row");
        record_write_header(out);
        record_write_row(out, rec);
        fclose(out);
        struct fuzz_file file = fuzz_file_create(text, size);
        fuzz_promise(table_read(file.path, &table, &error), "a record that was taken can be read again");
        fuzz_promise(table.rows == 1, "a record is one row");
        table_free(&table);
        fuzz_file_close(&file);
        free(text);
        record_write_json(stdout, rec);
    }
    free(rec);
}

/* false: nothing more can be understood. */
static bool hear_record(struct process *process)
{
    int kind;
    size_t size;
    const void *bytes;
    const enum process_news news = process_hear(process, &kind, &bytes, &size);
    if (news != PROCESS_MESSAGE) return news != PROCESS_GARBLED;
    fuzz_promise(size <= process->room, "no message is larger than it may be");
    if (size == sizeof(struct record_image)) check_record(bytes);
    return true;
}

static bool ends(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool hear_result(struct process *process)
{
    struct child_inbox inbox = {.has_result = false};
    struct verify_result result;
    const bool more = child_receive(process, &inbox, &result);
    if (inbox.said_end) fuzz_promise(sens_status_name(inbox.status)[0], "every status has a name");
    if (!inbox.has_result) return more || !inbox.garbled;
    fuzz_promise(ends(result.check, sizeof result.check) && ends(result.module, sizeof result.module) &&
                     ends(result.subject, sizeof result.subject) && ends(result.text, sizeof result.text),
                 "the texts of a result end");
    fuzz_promise(result.blames >= 0 && result.blames <= VERIFY_BLAMES, "a result has its causes");
    return more;
}

static void talk(const uint8_t *data, size_t size, size_t room, bool (*hear)(struct process *process))
{
    struct script script = {data, data + size};
    struct process process = {.death = -1, .room = room, .pid = getpid()}; /* never a child: no one waits */
    int ends_of[2];
    fuzz_promise(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_of) == 0, "there is a socket");
    process.socket = ends_of[0];
    process.message = calloc(1, room + HEADER);
    fuzz_promise(process.message, "there is memory for a message");
    for (bool heard = true; heard && send_next(&script, ends_of[1]);)
        for (size_t reads = 0; heard && reads < 4; reads++) heard = hear(&process);
    free(process.message);
    close(ends_of[0]);
    close(ends_of[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    talk(data, size, sizeof(struct record_image), hear_record);
    talk(data, size, sizeof(struct child_message), hear_result);
    return 0;
}
