/* Files that a page is made of, read whole, and their digests. */
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

#include "locate.h"
#include "text_file.h"

enum { PART_MAX = 8 << 20 };

static bool read_all(FILE *file, const char *path, char *text, struct bench_error *error)
{
    const size_t length = fread(text, 1, PART_MAX, file);
    text[length] = '\0';
    if (ferror(file)) return bench_refuse(error, "%s: cannot be read", path);
    if (length == PART_MAX) return bench_refuse(error, "%s: larger than %d bytes", path, PART_MAX - 1);
    if (strlen(text) != length) return bench_refuse(error, "%s: a NUL byte: not a text file", path);
    return true;
}

char *page_read(const char *path, struct bench_error *error)
{
    FILE *const file = regular_open(path, error);
    if (!file) return NULL;
    char *text = malloc(PART_MAX + 1);
    if (!text) bench_refuse(error, "%s: no memory", path);
    if (text && !read_all(file, path, text, error)) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

bool page_folder(enum page_folder which, char *path, size_t size, struct bench_error *error)
{
    static const char *const installed[] = {"page", "plots"};
    static const char *const in_source[] = {"harness/page/web", "plots"};
    char folder[DATA_PATH];
    for (int place = 0; place < DATA_PLACES; place++)
        if (data_folder(place, installed[which], in_source[which], folder) && strlen(folder) < size) {
            strcpy(path, folder);
            return true;
        }
    return bench_refuse(error, "the folder %s is neither installed beside this program nor in its sources",
                        installed[which]);
}

void page_digest(const char *text, char digest[PAGE_DIGEST])
{
    struct sha256_ctx hash;
    uint8_t bytes[SHA256_DIGEST_SIZE];
    static const char name[] = "sha256-";
    sha256_init(&hash);
    sha256_update(&hash, strlen(text), (const uint8_t *)text);
    sha256_digest(&hash, sizeof bytes, bytes);
    strcpy(digest, name);
    base64_encode_raw(digest + strlen(name), sizeof bytes, bytes);
    digest[strlen(name) + BASE64_ENCODE_RAW_LENGTH(sizeof bytes)] = '\0';
}
