/* The headers of an ELF file against its length. */
#include "object.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

enum { ELFCLASS_OURS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

/* count records of `size` bytes from `offset` on lie within the file. */
static bool lies_within(size_t length, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= length && (count == 0 || size <= (length - offset) / count);
}

static bool segments_lie_within(const char *bytes, size_t length, const ElfW(Ehdr) * header)
{
    bool within = true;
    for (size_t i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        memcpy(&segment, bytes + header->e_phoff + i * sizeof segment, sizeof segment);
        within = within && lies_within(length, segment.p_offset, 1, segment.p_filesz);
    }
    return within && header->e_phnum > 0;
}

bool object_is_whole(const char *bytes, size_t length)
{
    ElfW(Ehdr) header;
    if (length < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS_OURS ||
        header.e_type != ET_DYN || header.e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    return lies_within(length, header.e_phoff, header.e_phnum, header.e_phentsize) &&
           lies_within(length, header.e_shoff, header.e_shnum, header.e_shentsize) && /* at the end */
           segments_lie_within(bytes, length, &header);
}
