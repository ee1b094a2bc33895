/* Learning from a stream: strings one behind another, an update after every symbol (Joulin & Mikolov 2015, section 5).

   The last steps leave their records, and the memories before them, in a ring. The loss of a symbol alone is propagated
   back through these, with the parameters as they are now, and no further than to where the state began anew. In every
   step back the errors of the state, a memory included, and of the weights of its actions are clipped. */

#if !MEMORY || (SUPERPOSED && !REREADS)

/* Place i: ids[i] is fed, answers[i] is the right column, or -1 if nothing is learned there; emptied[i] says whether the
   state begins anew before. */
struct places {
    const int *ids, *answers;
    const unsigned char *emptied;
};

#if MEMORY
#define ROW_SIZE row_size(ENDLESS)
#else
#define ROW_SIZE 0
#endif

struct ring {
    long length;
    REAL *gradient, *turned, *records, *rows, *d_row, *d_next_row;
};

static struct ring ring_in(REAL *space, long steps) {
    struct ring r = {.length = steps + 1, .gradient = space};
    r.turned = r.gradient + padded(PARAMETERS) * STRIDE;
    r.records = r.turned + padded(PARAMETERS) * STRIDE;
    r.rows = r.records + padded(RECORD) * r.length * STRIDE;
    r.d_row = r.rows + ROW_SIZE * r.length * STRIDE;
    r.d_next_row = r.d_row + ROW_SIZE * STRIDE;
    return r;
}

static REAL *record_of(const struct ring *r, long t) { return r->records + padded(RECORD) * (t % r->length) * STRIDE; }

static REAL *row_of(const struct ring *r, long t) { return r->rows + ROW_SIZE * (t % r->length) * STRIDE; }

static void clip(REAL *restrict numbers, long count, REAL bound) {
    _Pragma("omp simd") for (long i = 0; i < count * W; ++i) {
        const REAL x = FLAT(numbers, i), above = x > bound ? bound : x; /* NaN stays */
        FLAT(numbers, i) = above < -bound ? -bound : above;
    }
}

/* Step t since the state began anew. */
static void feed(const REAL *p, const struct ring *r, int id, long t, int training) {
    REAL *here = record_of(r, t), *next = record_of(r, t + 1);
    if (t == 0) begin_forward(p, here, 1);
    encode(p, here, &id, 1);
#if MEMORY
    if (t == 0) memory_begin(row_of(r, 0), ENDLESS, FILL);
    const REAL *head = memory_head(row_of(r, t), ENDLESS);
    for (int i = 0; i < READ_SIZE; ++i) LANES AT(here, READ + i) = AT(head, i);
#endif
    if (training) step_forward(p, here, next, 1, 1);
    else step_evaluated(p, here, next, 1, 1);
#if MEMORY
    memory_forward(row_of(r, t), row_of(r, t + 1), here, t, ENDLESS);
#endif
}

/* The gradient of the loss of step `now`, through `steps` steps at most; ids[t - now] was fed in step t. */
static void look_back(const REAL *p, const struct ring *r, const int *ids, int answer, long now, long steps, REAL bound,
                      double *loss) {
    REAL cotangents[COTANGENTS * W] = {0}, gradients[COTANGENTS * W] = {0};
    REAL *c = cotangents, *d = gradients;
    const long first = now < steps ? 0 : now - steps + 1;
    turn(p, r->turned);
    compare(record_of(r, now), c, loss, (struct answer){0, answer}, CROSS_ENTROPY, 1);
#if MEMORY
    const long n = now + 1 + BEFORE;
    REAL *d_row = r->d_row, *d_next_row = r->d_next_row;
    memory_begin(d_row, n, 0);
#endif
    for (long t = now; t >= first; --t) {
        const REAL *here = record_of(r, t);
#if MEMORY
        if (t < now) {
            REAL *const later = d_row;
            d_row = d_next_row, d_next_row = later;
            memory_backward(row_of(r, t), d_next_row, d_row, here, c + C_WEIGHTS * W, c + C_WRITTEN * W, t + BEFORE, n);
            clip(c + C_WEIGHTS * W, WEIGHTS_SIZE, bound);
        }
#endif
        step_backward_turned(p, r->turned, r->gradient, here, c, d, 1, 1);
        encode_backward(p, r->gradient, d, ids + t - now, 1);
#if MEMORY
        REAL *head = memory_head(d_row, n);
        for (int i = 0; i < READ_SIZE; ++i) LANES AT(head, i) += LOCAL(d, D_READ + i);
        clip(d_row + memory_first(t + BEFORE, n) * CELL * STRIDE,
             (memory_last(t + BEFORE, n) + 1 - memory_first(t + BEFORE, n)) * CELL, bound);
#endif
        clip(d, STATES, bound);
        for (int k = 0; k < COLUMNS; ++k) LANES LOCAL(d, C_Y + k) = 0; /* the loss is that of one symbol */
        REAL *const used = c;
        c = d, d = used;
    }
    if (first == 0) begin_backward(p, r->gradient, c, 1);
}

static void descend(REAL *restrict p, const REAL *restrict g, const double *restrict rates) {
    EACH_COLUMN for (long j = 0; j < PARAMETERS; ++j)
        LANES AT(p, j) = rates[l] != 0 ? AT(p, j) - (REAL)rates[l] * AT(g, j) : AT(p, j);
}

/* -- what is called */

long long marnn_ring_space(long steps) {
    return (2 * padded(PARAMETERS) + (padded(RECORD) + ROW_SIZE) * (steps + 1) + 2 * ROW_SIZE) * STRIDE;
}

/* Places from first to before last, of which `since` went before since the state began anew; the space is kept from call
   to call. losses[lane] grows by the loss of each place that has an answer. Lanes with a rate of 0 do not change; if
   there are no rates nothing is learned, and steps are those of evaluation. */
void marnn_follow(REAL *parameters, const struct places *s, long long first, long long last, long since, long steps,
                  double bound, const double *rates, double *losses, REAL *space) {
    const struct ring r = ring_in(space, steps);
    for (long long i = first; i < last; ++i) {
        since = s->emptied[i] ? 0 : since;
        feed(parameters, &r, s->ids[i], since, rates != 0);
        if (s->answers[i] >= 0 && rates) {
            for (long j = 0; j < (long)PARAMETERS * W; ++j) FLAT(r.gradient, j) = 0;
            look_back(parameters, &r, s->ids + i, s->answers[i], since, steps, (REAL)bound, losses);
            descend(parameters, r.gradient, rates);
        } else if (s->answers[i] >= 0) {
            REAL unused[COTANGENTS * W];
            compare(record_of(&r, since), unused, losses, (struct answer){0, s->answers[i]}, CROSS_ENTROPY, 1);
        }
        ++since;
    }
}

#endif
