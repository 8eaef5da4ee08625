/* SHA-256 by nettle. */
#include "hash.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void hash_field(struct sha256_ctx *hash, const void *bytes, size_t length)
{
    const uint64_t count = length;
    sha256_update(hash, sizeof count, (const uint8_t *)&count);
    sha256_update(hash, length, bytes);
}

void hash_text(struct sha256_ctx *hash, const char *text)
{
    hash_field(hash, text, strlen(text));
}

void hash_digits(struct sha256_ctx *hash, char digits[HASH_DIGITS + 1])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) snprintf(digits + 2 * i, 3, "%02x", digest[i]);
}
