/* List: read and written at HEAD; beyond both ends lies FILL. What is inserted goes in at HEAD. */

enum { LEFT, RIGHT, INSERT, NO_OP, BEFORE = CELLS };

/* The slots from first to last that count, and that of HEAD. */
struct window { long first, last, head; };

/* Where cells do not hold 0 before anything reaches them, all count that can still be read. */
static inline long far_of(long t, long n) { return FILL == 0 ? reach(t, n) : n - 1 - t; }

static inline struct window window_of(long t, long n) {
    const long far = far_of(t, n), head = 2 + shorter(n - 1, HEAD);
    struct window w = {head - shorter(far, HEAD), head + shorter(far + DEPTH - 1, CELLS - 1 - HEAD), head};
    return w;
}

static long memory_slots(long longest) { return window_of(0, longest).head + shorter(longest + DEPTH, CELLS) + 3; }

static inline long memory_first(long t, long n) { return window_of(t, n).first; }

static inline long memory_last(long t, long n) { return window_of(t, n).last; }

static inline REAL *memory_head(REAL *row, long n) { return row + window_of(0, n).head * CELL * STRIDE; }

static inline void memory_begin(REAL *restrict row, long n, REAL value) {
    const struct window w = window_of(0, n);
    fill(row, w.first - 2, w.last + 3, value);
}

static inline void memory_forward(REAL *restrict from, REAL *restrict to, const REAL *restrict here, long t, long n) {
    REAL left[COUNT * W], right[COUNT * W], insert[COUNT * W], right_or_insert[COUNT * W];
    REAL stay[COUNT * W] = {0}, stay_or_insert[COUNT * W];
    const struct window w = window_of(t + 1, n);
    weigh(left, here, LEFT, -1), weigh(right, here, RIGHT, -1), weigh(insert, here, INSERT, -1);
    weigh(right_or_insert, here, RIGHT, INSERT), weigh(stay_or_insert, here, INSERT, ACTIONS > NO_OP ? NO_OP : -1);
    if (ACTIONS > NO_OP) weigh(stay, here, NO_OP, -1);
    fill(to, w.first - 2, w.first, FILL), fill(to, w.last + 1, w.last + 3, FILL);
    superpose(from, to, w.first, w.head, left, right_or_insert, stay);
    superpose(from, to, w.head, w.head + 1, left, right, stay);
    superpose(from, to, w.head + 1, w.last + 1, left, right, stay_or_insert);
    for (int k = 0; k < CELL; ++k)
        LANES AT(to, w.head * CELL + k) += LOCAL(insert, k / WIDTH) * AT(here, WRITTEN + k);
}

static inline void memory_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from,
                                   const REAL *restrict here, REAL *restrict d_weights,
                                   REAL *restrict d_written, long t, long n) {
    REAL left[COUNT * W], right[COUNT * W], insert[COUNT * W], right_or_insert[COUNT * W];
    REAL stay[COUNT * W] = {0}, stay_or_insert[COUNT * W];
    REAL d_left[COUNT * W] = {0}, d_right[COUNT * W] = {0}, d_below[COUNT * W] = {0}, d_stay[COUNT * W] = {0};
    REAL d_above[COUNT * W] = {0};
    const struct window w = window_of(t + 1, n);
    weigh(left, here, LEFT, -1), weigh(right, here, RIGHT, -1), weigh(insert, here, INSERT, -1);
    weigh(right_or_insert, here, RIGHT, INSERT), weigh(stay_or_insert, here, INSERT, ACTIONS > NO_OP ? NO_OP : -1);
    if (ACTIONS > NO_OP) weigh(stay, here, NO_OP, -1);
    fill(d_from, w.first - 2, w.last + 3, 0);
    superpose_backward(from, d, d_from, w.first, w.head, left, right_or_insert, stay, d_left, d_below, d_stay);
    superpose_backward(from, d, d_from, w.head, w.head + 1, left, right, stay, d_left, d_right, d_stay);
    superpose_backward(from, d, d_from, w.head + 1, w.last + 1, left, right, stay_or_insert, d_left, d_right, d_above);
    for (int k = 0; k < COUNT; ++k) LANES {
        LOCAL(d_weights, k * ACTIONS + LEFT) = LOCAL(d_left, k);
        LOCAL(d_weights, k * ACTIONS + RIGHT) = LOCAL(d_right, k) + LOCAL(d_below, k);
        LOCAL(d_weights, k * ACTIONS + INSERT) = LOCAL(d_below, k) + LOCAL(d_above, k);
        if (ACTIONS > NO_OP) LOCAL(d_weights, k * ACTIONS + NO_OP) = LOCAL(d_stay, k) + LOCAL(d_above, k);
    }
    for (int k = 0; k < CELL; ++k) LANES {
        const REAL g = AT(d, w.head * CELL + k);
        LOCAL(d_written, k) = LOCAL(insert, k / WIDTH) * g;
        LOCAL(d_weights, k / WIDTH * ACTIONS + INSERT) += AT(here, WRITTEN + k) * g;
    }
}
