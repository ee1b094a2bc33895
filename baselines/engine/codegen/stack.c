/* Stack: slot 1 is its top, slot 0 what is written; below the last cell lies FILL. */

enum { PUSH, POP, NO_OP, BEFORE = 0 };

static inline long held(long t, long n) { return shorter(DEPTH + reach(t, n), CELLS); }

static long memory_slots(long longest) { return shorter(DEPTH + (longest - 1) / 2, CELLS) + 3; }

/* The first and the last slot that count before symbol t. */
static inline long memory_first(long t, long n) { return 1; }

static inline long memory_last(long t, long n) { return held(t, n); }

static inline REAL *memory_head(REAL *row, long n) { return row + CELL * STRIDE; }

static inline void memory_begin(REAL *restrict row, long n, REAL value) { fill(row, 0, held(0, n) + 3, value); }

static inline void memory_forward(REAL *restrict from, REAL *restrict to, const REAL *restrict here, long t, long n) {
    REAL push[COUNT * W], pop[COUNT * W], no_op[COUNT * W];
    const long cells = held(t + 1, n);
    weigh(push, here, PUSH, -1), weigh(pop, here, POP, -1);
    if (ACTIONS > NO_OP) weigh(no_op, here, NO_OP, -1);
    for (int k = 0; k < CELL; ++k) LANES AT(from, k) = AT(here, WRITTEN + k);
    superpose(from, to, 1, 1 + cells, push, pop, ACTIONS > NO_OP ? no_op : 0);
    fill(to, 1 + cells, 3 + cells, FILL);
}

static inline void memory_backward(const REAL *restrict from, const REAL *restrict d, REAL *restrict d_from,
                                   const REAL *restrict here, REAL *restrict d_weights,
                                   REAL *restrict d_written, long t, long n) {
    REAL push[COUNT * W], pop[COUNT * W], no_op[COUNT * W];
    REAL d_push[COUNT * W] = {0}, d_pop[COUNT * W] = {0}, d_no_op[COUNT * W] = {0};
    const long cells = held(t + 1, n);
    weigh(push, here, PUSH, -1), weigh(pop, here, POP, -1);
    if (ACTIONS > NO_OP) weigh(no_op, here, NO_OP, -1);
    fill(d_from, 0, 3 + cells, 0);
    superpose_backward(from, d, d_from, 1, 1 + cells, push, pop, ACTIONS > NO_OP ? no_op : 0, d_push, d_pop, d_no_op);
    for (int k = 0; k < COUNT; ++k) LANES {
        LOCAL(d_weights, k * ACTIONS + PUSH) = LOCAL(d_push, k);
        LOCAL(d_weights, k * ACTIONS + POP) = LOCAL(d_pop, k);
        if (ACTIONS > NO_OP) LOCAL(d_weights, k * ACTIONS + NO_OP) = LOCAL(d_no_op, k);
    }
    for (int k = 0; k < CELL; ++k) LANES LOCAL(d_written, k) = AT(d_from, k);
}
