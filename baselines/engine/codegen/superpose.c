/* What stack, ring and list have in common: a memory's row, and one step of it with its gradient.

   A row is a memory before a step: slots of CELL = COUNT * WIDTH numbers, of which a window counts. Cells that nothing
   has reached yet, and cells from which nothing reaches what is read before the string ends, are left out: of a string
   of n symbols, before symbol t, all further than min(t, n - 1 - t) from what is read. Two slots beyond each end of the
   window hold FILL, which is what the cells there hold.

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

/* S'(i) = previous S(i-1) + following S(i+1) + stay S(i), for the slots from first to before last; stay may be null. */
static inline void superpose(const REAL *restrict from, REAL *restrict to, long first, long last,
                             const REAL *restrict previous, const REAL *restrict following,
                             const REAL *restrict stay) {
    for (long i = first; i < last; ++i)
        for (int k = 0; k < CELL; ++k) {
            const REAL *s = from + (i * CELL + k) * STRIDE;
            LANES AT(to, i * CELL + k) = FMA(LOCAL(previous, k / WIDTH), AT(s, -CELL),
                LOCAL(following, k / WIDTH) * AT(s, CELL));
            if (stay) LANES AT(to, i * CELL + k) = FMA(LOCAL(stay, k / WIDTH), AT(s, 0), AT(to, i * CELL + k));
        }
}

/* Adds the gradients of S and of the weights, from that of S', d. */
static inline void superpose_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from,
                                      long first, long last, const REAL *restrict previous,
                                      const REAL *restrict following, const REAL *restrict stay,
                                      REAL *restrict d_previous, REAL *restrict d_following,
                                      REAL *restrict d_stay) {
    for (int k = 0; k < CELL; ++k) {
        const int w = k / WIDTH;
        for (long i = first; i < last; ++i) {
            const long at = i * CELL + k;
            LANES {
                const REAL g = AT(d, at);
                AT(d_from, at - CELL) = FMA(LOCAL(previous, w), g, AT(d_from, at - CELL));
                AT(d_from, at + CELL) = FMA(LOCAL(following, w), g, AT(d_from, at + CELL));
                LOCAL(d_previous, w) = FMA(g, AT(from, at - CELL), LOCAL(d_previous, w));
                LOCAL(d_following, w) = FMA(g, AT(from, at + CELL), LOCAL(d_following, w));
            }
            if (stay) LANES {
                AT(d_from, at) = FMA(LOCAL(stay, w), AT(d, at), AT(d_from, at));
                LOCAL(d_stay, w) = FMA(AT(d, at), AT(from, at), LOCAL(d_stay, w));
            }
        }
    }
}
