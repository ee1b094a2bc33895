/* The contents of a Neural Stack, Queue or DeQue (Grefenstette et al. 2015): items that lie end to end on a line, from its
   bottom to its top. What is pushed or popped, read or counted back is that of baselines/cells/intervals.py.

   A step makes four points: each end after its pop and after its push. Whatever bounds an item is one of the points: where
   it was pushed, or to where a pop has clipped it. So an item is bounded by the numbers of two points, to which its gradient
   goes. Items that are left lie in slots, in order; what is popped as a whole never comes back. A read visits those that lie
   within one unit of its end, and a step touches nothing but what it pushes, pops and clips.

   Contents t are those before symbol t: a chunk for each step before, and on the way back, when slots and bounds become again
   what they were, a chunk of gradients for each. Every lane has a line of its own. Where both arguments of a maximum or minimum
   are equal, each has half of the gradient, as in torch; but a pop too small to move an end clips the item that ends there. */

static const long ENDLESS = 1L << 30;

enum { TOP_POPPED, TOP, BOTTOM_POPPED, BOTTOM, POINTS };
enum { LOW, HIGH };
enum { PUSH, POP };

enum {
    POINT = ENDS * WIDTH,   /* of a chunk: behind what its step pushed */
    BOUND = POINT + POINTS, /* the points LOW and HIGH of each of these items */
    SLOT = BOUND + 2 * ENDS, /* the items in slots t and -1 - t, whichever step they are of */
    FIRST = SLOT + 2, LAST, /* the slots of the items that are left */
    REPLACED,               /* what was before in the slots of what is pushed, at top and bottom */
    CLIPPED = REPLACED + 2, /* what bounded before the items that are clipped there; -1 if none is */
    CHUNK = (CLIPPED + 2 + 7) / 8 * 8,
    D_CHUNK = (BOUND + 7) / 8 * 8
};

#define SIGNAL(end, action) AT(here, WEIGHTS + 2 * (end) + (action))

static inline REAL *chunk(REAL *contents, long t) { return contents + CHUNK * t * STRIDE; }

static inline REAL *d_chunk(REAL *contents, long t, long n) { return chunk(contents, n) + D_CHUNK * t * STRIDE; }

static inline REAL *point(REAL *contents, REAL number, const int l) {
    return &AT(chunk(contents, (long)number / POINTS), POINT + (long)number % POINTS);
}

static inline REAL *d_point(REAL *contents, REAL number, long n, const int l) {
    return &AT(d_chunk(contents, (long)number / POINTS, n), POINT + (long)number % POINTS);
}

static inline REAL *slot(REAL *contents, long s, const int l) {
    return s < 0 ? &AT(chunk(contents, -1 - s), SLOT + 1) : &AT(chunk(contents, s), SLOT);
}

static inline long item_in(REAL *contents, long s, const int l) { return (long)*slot(contents, s, l); }

/* The number of the point that bounds an item. */
static inline REAL *bound(REAL *contents, long item, int side, const int l) {
    return &AT(chunk(contents, item / ENDS + 1), BOUND + item % ENDS * 2 + side);
}

static inline REAL *bound_in(REAL *contents, long s, int side, const int l) {
    return bound(contents, item_in(contents, s, l), side, l);
}

static inline REAL greater(REAL a, REAL b) { return a < b ? b : a; }

static inline REAL smaller(REAL a, REAL b) { return a > b ? b : a; }

/* The share of a in the gradient of greater(a, b), and of b in that of smaller(a, b). */
static inline REAL share(REAL a, REAL b) { return a > b ? 1 : a < b ? 0 : (REAL)0.5; }

static long long contents_space(long n) { return (long long)(CHUNK + D_CHUNK) * n; }

static long long endless_space(long steps) { return (long long)CHUNK * (steps + 1); }

static void contents_begin(REAL *contents, long n) {
    for (int k = 0; k < POINTS; ++k) LANES AT(contents, POINT + k) = 0;
    LANES AT(contents, FIRST) = 0;
    LANES AT(contents, LAST) = -1;
}

static void contents_begin_backward(REAL *contents, long n) {
    REAL *d = d_chunk(contents, 0, n);
    for (long i = 0; i < D_CHUNK * n; ++i) LANES AT(d, i) = 0;
}

/* -- reading */

/* An item as it is read at an end: from low to high, of which a length lies within the limit, one unit from that end. */
struct part {
    int is_near;
    long item;
    REAL limit, low, high, length;
};

/* Of the item that is i-th from this end. Behind one that is not near none is. */
static inline struct part part_of(REAL *contents, long t, long i, int end, const int l) {
    const REAL *here = chunk(contents, t);
    const long first = (long)AT(here, FIRST), last = (long)AT(here, LAST), s = end == TOP ? last - i : first + i;
    struct part p = {0, 0, AT(here, POINT + end) + (end == TOP ? -1 : 1), 0, 0, 0};
    if (s < first || s > last) return p;
    p.item = item_in(contents, s, l);
    p.low = *point(contents, *bound(contents, p.item, LOW, l), l);
    p.high = *point(contents, *bound(contents, p.item, HIGH, l), l);
    p.is_near = end == TOP ? !(p.high <= p.limit) : !(p.low >= p.limit);
    p.length = end == TOP ? p.high - greater(p.low, p.limit) : smaller(p.high, p.limit) - p.low;
    return p;
}

static inline void read_end(REAL *contents, REAL *restrict read, long t, int end, const int l) {
    struct part p;
    for (int k = 0; k < WIDTH; ++k) AT(read, k) = 0;
    for (long i = 0; (p = part_of(contents, t, i, end, l)).is_near; ++i) {
        const REAL *restrict v = chunk(contents, p.item / ENDS + 1) + p.item % ENDS * WIDTH * STRIDE;
        if (!(p.length <= 0)) EACH_COLUMN for (int k = 0; k < WIDTH; ++k) AT(read, k) = FMA(p.length, AT(v, k), AT(read, k));
    }
}

static void contents_read(REAL *contents, REAL *read, long t, long n) {
    EACH_LANE {
        if (POP_TOP >= 0) read_end(contents, read + POP_TOP * WIDTH * STRIDE, t, TOP, l);
        if (POP_BOTTOM >= 0) read_end(contents, read + POP_BOTTOM * WIDTH * STRIDE, t, BOTTOM, l);
    }
}

/* The gradient of a value, length times g, is added; that of the length is returned. */
static inline REAL read_value_backward(const REAL *restrict v, const REAL *restrict g, REAL *restrict d, REAL length,
                                       const int l) {
    EACH_COLUMN for (int k = 0; k < WIDTH; ++k) AT(d, k) = FMA(length, LOCAL(g, k), AT(d, k));
#if STRIDE == 1
    return dot(v, g, WIDTH);
#else
    REAL sum = 0;
    for (int k = 0; k < WIDTH; ++k) sum = FMA(AT(v, k), LOCAL(g, k), sum);
    return sum;
#endif
}

static inline void read_end_backward(REAL *contents, const REAL *g, long t, long n, int end, const int l) {
    struct part p;
    for (long i = 0; (p = part_of(contents, t, i, end, l)).is_near; ++i) {
        if (p.length <= 0) continue;
        const long of = p.item / ENDS + 1, from = p.item % ENDS * WIDTH * STRIDE;
        const REAL d = read_value_backward(chunk(contents, of) + from, g, d_chunk(contents, of, n) + from, p.length, l);
        const REAL inside = end == TOP ? share(p.low, p.limit) : share(p.limit, p.high), limited = (1 - inside) * d;
        *d_point(contents, *bound(contents, p.item, HIGH, l), n, l) += end == TOP ? d : inside * d;
        *d_point(contents, *bound(contents, p.item, LOW, l), n, l) -= end == TOP ? inside * d : d;
        AT(d_chunk(contents, t, n), POINT + end) += end == TOP ? -limited : limited;
    }
}

static void contents_read_backward(REAL *contents, const REAL *g, long t, long n) {
    EACH_LANE {
        if (POP_TOP >= 0) read_end_backward(contents, g + POP_TOP * WIDTH * W, t, n, TOP, l);
        if (POP_BOTTOM >= 0) read_end_backward(contents, g + POP_BOTTOM * WIDTH * W, t, n, BOTTOM, l);
    }
}

/* -- popping and pushing */

static inline void push(REAL *contents, long t, long s, int end, REAL low, REAL high, const int l) {
    REAL *here = chunk(contents, t), *place = slot(contents, s, l);
    const long item = (t - 1) * ENDS + end;
    AT(here, REPLACED + end) = *place;
    *place = (REAL)item;
    *bound(contents, item, LOW, l) = low;
    *bound(contents, item, HIGH, l) = high;
}

static inline void change(REAL *contents, const REAL *here, long t, const int l) {
    REAL *before = chunk(contents, t), *after = chunk(contents, t + 1);
    const REAL top = AT(before, POINT + TOP), bottom = AT(before, POINT + BOTTOM), number = (REAL)(POINTS * (t + 1));
    const REAL top_popped = POP_TOP < 0 ? top : greater(top - SIGNAL(POP_TOP, POP), bottom);
    const REAL bottom_popped = POP_BOTTOM < 0 ? bottom : smaller(bottom + SIGNAL(POP_BOTTOM, POP), top_popped);
    long first = (long)AT(before, FIRST), last = (long)AT(before, LAST);
    AT(after, POINT + TOP_POPPED) = top_popped, AT(after, POINT + TOP) = top_popped + SIGNAL(0, PUSH);
    AT(after, POINT + BOTTOM_POPPED) = bottom_popped;
    AT(after, POINT + BOTTOM) = ENDS > 1 ? bottom_popped - SIGNAL(1, PUSH) : bottom_popped;
    AT(after, CLIPPED) = AT(after, CLIPPED + 1) = -1;
    if (POP_TOP >= 0) {
        while (last >= first && *point(contents, *bound_in(contents, last, LOW, l), l) >= top_popped) --last;
        REAL *high = last >= first ? bound_in(contents, last, HIGH, l) : 0;
        if (high && !(*point(contents, *high, l) < top_popped)) AT(after, CLIPPED) = *high, *high = number + TOP_POPPED;
    }
    if (POP_BOTTOM >= 0) {
        while (last >= first && *point(contents, *bound_in(contents, first, HIGH, l), l) <= bottom_popped) ++first;
        REAL *low = last >= first ? bound_in(contents, first, LOW, l) : 0;
        if (low && !(*point(contents, *low, l) > bottom_popped)) AT(after, CLIPPED + 1) = *low, *low = number + BOTTOM_POPPED;
    }
    push(contents, t + 1, ++last, 0, number + TOP_POPPED, number + TOP, l);
    if (ENDS > 1) push(contents, t + 1, --first, 1, number + BOTTOM, number + BOTTOM_POPPED, l);
    AT(after, FIRST) = (REAL)first, AT(after, LAST) = (REAL)last;
}

/* Contents t + 1, from t and the signals and what is written of the record. */
static void contents_forward(REAL *contents, const REAL *here, long t, long n) {
    REAL *after = chunk(contents, t + 1);
    for (int k = 0; k < ENDS * WIDTH; ++k) LANES AT(after, k) = AT(here, WRITTEN + k);
    EACH_LANE change(contents, here, t, l);
}

static inline void change_back(REAL *contents, const REAL *here, REAL *d_signals, long t, long n, const int l) {
    REAL *before = chunk(contents, t), *after = chunk(contents, t + 1);
    const REAL *d = d_chunk(contents, t + 1, n);
    REAL *d_before = d_chunk(contents, t, n);
    const long first = (long)AT(after, FIRST), last = (long)AT(after, LAST);
    const REAL d_top = AT(d, POINT + TOP), d_bottom = AT(d, POINT + BOTTOM);
    REAL d_top_popped = AT(d, POINT + TOP_POPPED) + d_top, d_bottom_popped = AT(d, POINT + BOTTOM_POPPED) + d_bottom;

    LOCAL(d_signals, PUSH) = d_top;
    if (ENDS > 1) LOCAL(d_signals, 2 + PUSH) = -d_bottom;
    if (POP_BOTTOM >= 0) {
        const REAL popped = AT(before, POINT + BOTTOM) + SIGNAL(POP_BOTTOM, POP);
        const REAL freely = d_bottom_popped * share(AT(after, POINT + TOP_POPPED), popped);
        LOCAL(d_signals, 2 * POP_BOTTOM + POP) = freely;
        d_top_popped += d_bottom_popped - freely;
        d_bottom_popped = freely;
    }
    if (POP_TOP >= 0) {
        const REAL popped = AT(before, POINT + TOP) - SIGNAL(POP_TOP, POP);
        const REAL freely = d_top_popped * share(popped, AT(before, POINT + BOTTOM));
        LOCAL(d_signals, 2 * POP_TOP + POP) = -freely;
        d_bottom_popped += d_top_popped - freely;
        d_top_popped = freely;
    }
    AT(d_before, POINT + TOP) += d_top_popped, AT(d_before, POINT + BOTTOM) += d_bottom_popped;

    *slot(contents, last, l) = AT(after, REPLACED);
    if (ENDS > 1) *slot(contents, first, l) = AT(after, REPLACED + 1);
    if (AT(after, CLIPPED) >= 0) *bound_in(contents, last - 1, HIGH, l) = AT(after, CLIPPED);
    if (AT(after, CLIPPED + 1) >= 0) *bound_in(contents, first + ENDS - 1, LOW, l) = AT(after, CLIPPED + 1);
}

static void contents_backward(REAL *contents, const REAL *here, REAL *d_signals, REAL *d_written, long t, long n) {
    const REAL *d = d_chunk(contents, t + 1, n);
    for (int k = 0; k < ENDS * WIDTH; ++k) LANES LOCAL(d_written, k) = AT(d, k);
    EACH_LANE change_back(contents, here, d_signals, t, n, l);
}
