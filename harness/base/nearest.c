/* "Did you mean": the candidate at the smallest edit distance (optimal string alignment: insertion, deletion,
 * substitution, transposition of neighbours, each 1), letters compared without case. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "names.h"

enum { WORD_MAX = 63, CONTAINED_MIN = 3 };

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int edit_distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int row[3][WORD_MAX + 1]; /* of a's prefixes of length i - 2, i - 1, i in turn */
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *const last = row[(i + 2) % 3], *const before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            const bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            now[j] = min(min(last[j], now[j - 1]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* A word that stands inside the other is as near as two edits. */
static int score(const char *word, const char *candidate)
{
    const int distance = edit_distance(word, candidate);
    const size_t shorter = strlen(word) < strlen(candidate) ? strlen(word) : strlen(candidate);
    const bool contained = strstr(word, candidate) || strstr(candidate, word);
    return contained && shorter >= CONTAINED_MIN ? min(distance, 2) : distance;
}

const char *nearest_name(const char *word, const char *const *candidate, size_t count)
{
    const size_t length = strlen(word);
    const char *best = NULL;
    int best_score = length < 3 ? 1 : 2 + (int)length / 6; /* worse is not near */
    if (length == 0 || length > WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidate[i]) > WORD_MAX) continue;
        const int found = score(word, candidate[i]);
        if (best ? found >= best_score : found > best_score) continue;
        best = candidate[i];
        best_score = found;
    }
    return best;
}
