/* Ring: nothing lies beyond its ends. Rotations go across from the last cell to cell 0, pops do not.

   If nothing can go once around and be read, it is a line with cell 0 in its middle; else every cell counts. */

enum { ROTATE_LEFT, ROTATE_RIGHT, NO_OP, POP_RIGHT, POP_LEFT, BEFORE = CELLS };

/* The slots from first to last that count, that of cell 0, and that of the cell before it. */
struct window { long first, last, zero, before; };

static inline int goes_around(long n) { return CELLS < n + DEPTH - 2; }

static inline struct window window_of(long t, long n) {
    const long zero = goes_around(n) ? 2 : 2 + (n - 1) / 2, far = reach(t, n);
    struct window line = {zero - far, zero + DEPTH - 1 + far, zero, zero - 1}, ring = {2, 1 + CELLS, 2, 1 + CELLS};
    return goes_around(n) ? ring : line;
}

/* Where the slots after i end that have the weights of slot i. */
static inline long alike(struct window w, long i) {
    if (i == w.zero || i == w.before) return i + 1;
    if (i < w.before && w.before <= w.last) return w.before;
    return i < w.zero && w.zero <= w.last ? w.zero : w.last + 1;
}

static long memory_slots(long longest) { return shorter(longest, CELLS + 2) + DEPTH + 4; }

static inline long memory_first(long t, long n) { return window_of(t, n).first; }

static inline long memory_last(long t, long n) { return window_of(t, n).last; }

static inline REAL *memory_head(REAL *row, long n) { return row + window_of(0, n).zero * CELL * STRIDE; }

static inline void memory_begin(REAL *restrict row, long n, REAL value) {
    const struct window w = window_of(0, n);
    fill(row, w.first - 2, w.last + 3, value);
}

static inline void memory_forward(REAL *restrict from, REAL *restrict to, const REAL *restrict here, long t, long n) {
    REAL around_right[COUNT * W], around_left[COUNT * W], right[COUNT * W], left[COUNT * W], no_op[COUNT * W];
    const struct window w = window_of(t + 1, n);
    weigh(around_right, here, ROTATE_RIGHT, -1), weigh(right, here, ROTATE_RIGHT, POP_RIGHT);
    weigh(around_left, here, ROTATE_LEFT, -1), weigh(left, here, ROTATE_LEFT, POP_LEFT), weigh(no_op, here, NO_OP, -1);
    if (goes_around(n)) for (int k = 0; k < CELL; ++k) LANES {
        AT(from, (w.first - 1) * CELL + k) = AT(from, w.last * CELL + k);
        AT(from, (w.last + 1) * CELL + k) = AT(from, w.first * CELL + k);
    }
    fill(to, w.first - 2, w.first, 0), fill(to, w.last + 1, w.last + 3, 0);
    for (long i = w.first, end; i <= w.last; i = end) {
        end = alike(w, i);
        superpose(from, to, i, end, i == w.zero ? around_right : right, i == w.before ? around_left : left, no_op);
    }
    for (int k = 0; k < CELL; ++k) LANES AT(to, w.zero * CELL + k) += AT(here, WRITTEN + k);
}

static inline void memory_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from,
                                   const REAL *restrict here, REAL *restrict d_weights,
                                   REAL *restrict d_written, long t, long n) {
    REAL around_right[COUNT * W], around_left[COUNT * W], right[COUNT * W], left[COUNT * W], no_op[COUNT * W];
    REAL d_around_right[COUNT * W] = {0}, d_around_left[COUNT * W] = {0}, d_right[COUNT * W] = {0};
    REAL d_left[COUNT * W] = {0}, d_no_op[COUNT * W] = {0};
    const struct window w = window_of(t + 1, n);
    weigh(around_right, here, ROTATE_RIGHT, -1), weigh(right, here, ROTATE_RIGHT, POP_RIGHT);
    weigh(around_left, here, ROTATE_LEFT, -1), weigh(left, here, ROTATE_LEFT, POP_LEFT), weigh(no_op, here, NO_OP, -1);
    fill(d_from, w.first - 2, w.last + 3, 0);
    for (long i = w.first, end; i <= w.last; i = end) {
        end = alike(w, i);
        superpose_backward(from, d, d_from, i, end, i == w.zero ? around_right : right,
                           i == w.before ? around_left : left, no_op, i == w.zero ? d_around_right : d_right,
                           i == w.before ? d_around_left : d_left, d_no_op);
    }
    if (goes_around(n)) for (int k = 0; k < CELL; ++k) LANES {
        AT(d_from, w.last * CELL + k) += AT(d_from, (w.first - 1) * CELL + k);
        AT(d_from, w.first * CELL + k) += AT(d_from, (w.last + 1) * CELL + k);
    }
    for (int k = 0; k < COUNT; ++k) LANES {
        LOCAL(d_weights, k * ACTIONS + ROTATE_RIGHT) = LOCAL(d_right, k) + LOCAL(d_around_right, k);
        LOCAL(d_weights, k * ACTIONS + ROTATE_LEFT) = LOCAL(d_left, k) + LOCAL(d_around_left, k);
        LOCAL(d_weights, k * ACTIONS + NO_OP) = LOCAL(d_no_op, k);
        LOCAL(d_weights, k * ACTIONS + POP_RIGHT) = LOCAL(d_right, k);
        LOCAL(d_weights, k * ACTIONS + POP_LEFT) = LOCAL(d_left, k);
    }
    for (int k = 0; k < CELL; ++k) LANES LOCAL(d_written, k) = AT(d, w.zero * CELL + k);
}
