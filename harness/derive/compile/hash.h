/* harness/derive/compile/hash.h - SHA-256 of a list of fields, in hexadecimal digits. */
#ifndef COMPILE_HASH_H
#define COMPILE_HASH_H

#include <nettle/sha2.h>
#include <stddef.h>

enum { HASH_DIGITS = 2 * SHA256_DIGEST_SIZE };

/* Each field is preceded by its length: two lists of fields are never the same bytes. */
void hash_field(struct sha256_ctx *hash, const void *bytes, size_t length);
void hash_text(struct sha256_ctx *hash, const char *text);
/* The digits and a NUL; the hash begins anew. */
void hash_digits(struct sha256_ctx *hash, char digits[HASH_DIGITS + 1]);

#endif
