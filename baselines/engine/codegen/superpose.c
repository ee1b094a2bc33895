/* What stack, ring and list have in common: a memory's row, and one step of it with its gradient.

   A row is a memory before a step: slots of CELL = COUNT * WIDTH numbers, of which a window counts. Cells that nothing
   has reached yet, and cells from which nothing reaches what is read before the string ends, are left out: of a string
   of n symbols, before symbol t, all further than min(t, n - 1 - t) from what is read. Two slots beyond each end of the
   window hold FILL, which is what the cells there hold.

   On a stream (stream.c) t and n are counted from BEFORE on, so that HEAD lies where it does in long strings.

   Weights are [COUNT] in each lane. */

enum { CELL = COUNT * WIDTH };

static inline long reach(long t, long n) { return t < n - 1 - t ? t : n - 1 - t; }

static inline long shorter(long a, long b) { return a < b ? a : b; }

static inline void fill(REAL *restrict row, long first, long last, REAL value) {
    for (long i = first * CELL; i < last * CELL; ++i) LANES AT(row, i) = value;
}

/* The weight of an action, and the sums of two. */
static inline void weigh(REAL *restrict sum, const REAL *restrict here, int action, int other) {
    for (int k = 0; k < COUNT; ++k) {
        LANES LOCAL(sum, k) = AT(here, WEIGHTS + k * ACTIONS + action);
        if (other >= 0) LANES LOCAL(sum, k) += AT(here, WEIGHTS + k * ACTIONS + other);
    }
}

#if STRIDE > 1
enum { GROUP = 1 };
#else
enum { GROUP = CELL % 8 == 0 ? 1 : CELL % 4 == 0 ? 2 : CELL % 2 == 0 ? 4 : 8 };
#endif

/* One run alone fills its vectors with the numbers of GROUP cells, that many slots at once; what is left over, one slot. */
#define EACH_SLOT(statement) \
    do { \
        long i = first; \
        for (; i + GROUP <= last; i += GROUP) EACH_COLUMN for (int k = 0; k < GROUP * CELL; ++k) { statement } \
        for (; i < last; ++i) EACH_COLUMN for (int k = 0; k < CELL; ++k) { statement } \
    } while (0)

/* The weights of the numbers of GROUP cells. */
static inline void spread(REAL *restrict to, const REAL *restrict weights) {
    for (int g = 0; g < GROUP; ++g)
        for (int k = 0; k < CELL; ++k) LANES LOCAL(to, g * CELL + k) = weights ? LOCAL(weights, k / WIDTH) : 0;
}

/* S'(i) = previous S(i-1) + following S(i+1) + stay S(i), for the slots from first to before last; stay may be null. */
static inline void superpose(const REAL *restrict from, REAL *restrict to, long first, long last,
                             const REAL *restrict previous, const REAL *restrict following,
                             const REAL *restrict stay) {
    REAL before[GROUP * CELL * W], after[GROUP * CELL * W], same[GROUP * CELL * W];
    spread(before, previous), spread(after, following), spread(same, stay);
    EACH_SLOT(
        const REAL *s = from + (i * CELL + k) * STRIDE;
        LANES AT(to, i * CELL + k) = FMA(LOCAL(before, k), AT(s, -CELL), LOCAL(after, k) * AT(s, CELL));
        if (stay) LANES AT(to, i * CELL + k) = FMA(LOCAL(same, k), AT(s, 0), AT(to, i * CELL + k));
    );
}

/* Adds the gradients of S, which is `by` slots away from S', and of its weight, from that of S', d. */
static inline void shift_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from, long first,
                                  long last, int by, const REAL *restrict weight, REAL *restrict d_weight) {
    REAL weights[GROUP * CELL * W], sums[GROUP * CELL * W] = {0};
    spread(weights, weight);
    EACH_SLOT(LANES {
        const long at = i * CELL + k;
        const REAL g = AT(d, at);
        AT(d_from, at + by * CELL) = FMA(LOCAL(weights, k), g, AT(d_from, at + by * CELL));
        LOCAL(sums, k) = FMA(g, AT(from, at + by * CELL), LOCAL(sums, k));
    });
    for (int g = 0; g < GROUP; ++g)
        for (int k = 0; k < CELL; ++k) LANES LOCAL(d_weight, k / WIDTH) += LOCAL(sums, g * CELL + k);
}

/* Adds the gradients of S and of the weights, from that of S', d. */
static inline void superpose_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from,
                                      long first, long last, const REAL *restrict previous,
                                      const REAL *restrict following, const REAL *restrict stay,
                                      REAL *restrict d_previous, REAL *restrict d_following,
                                      REAL *restrict d_stay) {
    shift_backward(from, d, d_from, first, last, -1, previous, d_previous);
    shift_backward(from, d, d_from, first, last, 1, following, d_following);
    if (stay) shift_backward(from, d, d_from, first, last, 0, stay, d_stay);
}
