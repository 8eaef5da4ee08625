/* What a name may be. Names stand in command lines, file names, columns and headings, whoever
 * made them up. */
#include <string.h>

#include "names.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"
enum { NAME_LENGTH = 63 };

bool is_name(const char *text)
{
    return text && text[0] && strchr(LETTERS DIGITS, text[0]) && strlen(text) <= NAME_LENGTH &&
           !text[strspn(text, NAME_CHARACTERS)];
}

bool is_key(const char *text)
{
    return text && text[0] && strchr(LETTERS, text[0]) && strlen(text) <= NAME_LENGTH &&
           !text[strspn(text, LETTERS DIGITS "_.")];
}

bool is_line(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return false;
    return true;
}
