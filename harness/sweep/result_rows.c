/* Rows are added to a result file, and stay: each is on the disk before the next cell is run, and none is lost when its
 * file is. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#include "result_file.h"

enum { NAMES_MAX = 10000 };

/* Makes the first of path.1, path.2, ... that is not there; -1: none could be made. */
static int make_beside(const char *path, char *name, size_t size)
{
    for (int i = 1; i <= NAMES_MAX; i++) {
        const int length = snprintf(name, size, "%s.%d", path, i);
        if (length < 0 || (size_t)length >= size) break;
        const int made = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (made >= 0 || errno != EEXIST) return made;
    }
    return -1;
}

bool result_keep_aside(const char *path, char *name, size_t size)
{
    const int made = make_beside(path, name, size);
    if (made < 0) return false;
    close(made);
    return rename(path, name) == 0;
}

bool result_is_there(const struct result_file *result)
{
    struct stat ours, there;
    return fstat(fileno(result->file), &ours) == 0 && stat(result->path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* All of one file behind another's end. */
static bool copy_all(int from, int to)
{
    char bytes[1 << 16];
    ssize_t got;
    for (off_t at = 0; (got = pread(from, bytes, sizeof bytes, at)) > 0; at += got)
        for (ssize_t done = 0; done < got;) {
            const ssize_t put = write(to, bytes + done, (size_t)(got - done));
            if (put < 0) return false;
            done += put;
        }
    return got == 0 && fsync(to) == 0;
}

/* The file has no name any more, but is open still. */
static bool rescue(const struct result_file *result, struct bench_error *error)
{
    char name[sizeof result->path + 16], path[sizeof result->path];
    struct bench_error none;
    strcpy(path, result->path);
    const bool folder = make_folders(path, 0777, &none);
    const int to = folder ? make_beside(result->path, name, sizeof name) : -1;
    const bool copied = to >= 0 && copy_all(fileno(result->file), to);
    if (to >= 0) close(to);
    if (copied)
        return bench_refuse(
            error,
            "%s: deleted or replaced while the sweep was running; its rows are in %s: move it "
            "back to go on with --resume",
            result->path, name);
    return bench_refuse(error, "%s: deleted or replaced while the sweep was running; its rows are lost: %s",
                        result->path, strerror(errno));
}

/* An editor or a script may write to the file in place, and heeds no lock. -1: not known. */
static long size_of(FILE *file)
{
    struct stat about;
    return fstat(fileno(file), &about) == 0 ? (long)about.st_size : -1;
}

bool result_file_add(struct result_file *result, const struct record *rec, struct bench_error *error)
{
    if (result->size > 0 && size_of(result->file) != result->size)
        return bench_refuse(
            error,
            "%s: written to by another program while the sweep was running: it has %ld bytes, "
            "and had %ld after the last row; look at it before you go on with --resume",
            result->path, size_of(result->file), result->size);
    record_write_row(result->file, rec);
    const bool written =
        !ferror(result->file) && fflush(result->file) == 0 && fdatasync(fileno(result->file)) == 0;
    if (!written)
        return bench_refuse(error, "%s: %s; the rows before this one are kept, and --resume goes on",
                            result->path, strerror(errno));
    result->size = size_of(result->file);
    return result_is_there(result) || rescue(result, error);
}
