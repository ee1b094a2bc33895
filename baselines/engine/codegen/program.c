/* The training of one block of W runs: update after update, over the strings of each.

   A run has PARAMETERS numbers. What a step leaves for the way back is a record of RECORD numbers on the tape; a memory
   before each step is a row. What lies before this text: the constants, the step (step_forward, step_backward), the
   state before it (begin_forward, begin_backward), and the memory. */

/* Strings from first to before last, and what an update does with their gradient. */
struct update {
    long long number, first, last;
    double temperature, rate, scale;
};

/* Strings one behind another: string i has the symbols from offsets[i] on. */
struct strings {
    const int *ids;
    const unsigned long long *answers; /* a bit for each column */
    const long long *offsets;
};

enum loss { SQUARED_ERROR, CROSS_ENTROPY };
enum optimiser { SGD, ADAM };

struct recipe {
    int loss, optimiser;
    double beta1, beta2, epsilon;
};

/* Each [number][lane]; of the sums of Adam none is used by SGD. */
struct block {
    REAL *parameters, *average, *square;
    double *losses; /* [update][lane] */
    const unsigned long long *keys; /* of the noise, [lane] */
};

/* What an update works with. */
struct work {
    REAL *gradient, *tape, *rows, *d_row, *d_next_row;
};

static long long padded(long long count) { return (count + 7) / 8 * 8; }

static struct work divide(REAL *space, long longest) {
    struct work w;
    w.gradient = space;
    w.tape = w.gradient + padded(PARAMETERS) * STRIDE;
    w.rows = w.tape + padded(RECORD) * (longest + 1) * STRIDE;
    w.d_row = w.rows + padded(ROW(longest)) * longest * STRIDE;
    w.d_next_row = w.d_row + padded(ROW(longest)) * STRIDE;
    return w;
}

static REAL *record(const struct work *w, long t) { return w->tape + padded(RECORD) * t * STRIDE; }

static REAL *row(const struct work *w, long t, long longest) { return w->rows + padded(ROW(longest)) * t * STRIDE; }

static void encode(const REAL *restrict p, REAL *restrict here, int id) {
    const REAL *weight = p + ((long)INPUT + (long)id * X_SIZE) * STRIDE, *bias = p + (long)INPUT_BIAS * STRIDE;
    EACH_COLUMN for (int i = 0; i < X_SIZE; ++i)
        LANES AT(here, X + i) = INPUT_BIAS < 0 ? AT(weight, i) : AT(weight, i) + AT(bias, i);
}

static void encode_backward(REAL *restrict g, const REAL *restrict d, int id) {
    REAL *weight = g + ((long)INPUT + (long)id * X_SIZE) * STRIDE, *bias = g + (long)INPUT_BIAS * STRIDE;
    EACH_COLUMN for (int i = 0; i < X_SIZE; ++i) LANES AT(weight, i) += LOCAL(d, D_X + i);
    if (INPUT_BIAS >= 0) EACH_COLUMN for (int i = 0; i < X_SIZE; ++i) LANES AT(bias, i) += LOCAL(d, D_X + i);
}

/* The noise of a step: philox.h says what the two numbers are. */
static void draw(REAL *restrict here, const unsigned long long *keys, marnn_u32 c0, marnn_u32 c1, long t) {
    for (int k = 0; k < NOISE; k += 2) LANES {
        marnn_u64 first, second;
        marnn_philox(c0, c1, (marnn_u32)t, k / 2, keys[l], &first, &second);
        AT(here, GUMBEL + k) = (REAL)marnn_gumbel(first);
        if (k + 1 < NOISE) AT(here, GUMBEL + k + 1) = (REAL)marnn_gumbel(second);
    }
}

/* The loss of a step, times its weight, and the cotangent of its scores. */
static void compare(const REAL *restrict here, REAL *restrict c, double *restrict loss, unsigned long long answer,
                    enum loss kind, double weight) {
    for (int k = 0; k < COLUMNS; ++k) {
        const REAL right = (REAL)(answer >> k & 1);
        if (kind == SQUARED_ERROR) LANES {
            const REAL error = AT(here, Y + k) - right;
            loss[l] += weight / COLUMNS * error * error;
            LOCAL(c, C_Y + k) = (REAL)(2 * weight / COLUMNS) * error;
        } else LANES {
            const REAL y = AT(here, Y + k), positive = y < TINY ? (REAL)TINY : y;
            loss[l] -= weight * right * LOG(positive);
            LOCAL(c, C_Y + k) = y < TINY ? 0 : -(REAL)weight * right / y;
        }
    }
}

/* A step forward, but for the noise, which is drawn before. */
static void advance(const REAL *p, const struct work *w, int id, long t, long n, long longest, REAL temperature,
                    int training) {
    REAL *here = record(w, t), *next = record(w, t + 1);
    encode(p, here, id);
#if MEMORY
    const REAL *head = memory_head(row(w, t, longest), n);
    for (int i = 0; i < READ_SIZE; ++i) LANES AT(here, READ + i) = AT(head, i);
#endif
    if (training) step_forward(p, here, next, temperature);
    else step_evaluated(p, here, next, temperature);
#if MEMORY
    if (t + 1 < n) memory_forward(row(w, t, longest), row(w, t + 1, longest), here, t, n);
#endif
}

static void begin(const REAL *p, const struct work *w, long n) {
    begin_forward(p, record(w, 0));
#if MEMORY
    memory_begin(w->rows, n, FILL);
#endif
}

/* The gradient of a string's loss is added to that of the update. */
static void learn(const struct block *b, const struct work *w, const struct update *u, const struct recipe *recipe,
                  const struct strings *s, long long string, long longest, double *loss) {
    const int *ids = s->ids + s->offsets[string];
    const unsigned long long *answers = s->answers + s->offsets[string];
    const long n = (long)(s->offsets[string + 1] - s->offsets[string]);
    const double weight = 1.0 / (double)(n * (u->last - u->first));
    const REAL *p = b->parameters;
    const REAL temperature = (REAL)u->temperature;
    REAL cotangents[COTANGENTS * W] = {0}, gradients[COTANGENTS * W];
    REAL *c = cotangents, *d = gradients;

    begin(p, w, n);
    for (long t = 0; t < n; ++t) {
        draw(record(w, t), b->keys, (marnn_u32)u->number, (marnn_u32)(string - u->first), t);
        advance(p, w, ids[t], t, n, longest, temperature, 1);
    }

#if MEMORY
    REAL *d_row = w->d_row, *d_next_row = w->d_next_row;
    memory_begin(d_row, n, 0);
#endif
    for (long t = n - 1; t >= 0; --t) {
        const REAL *here = record(w, t);
        compare(here, c, loss, answers[t], (enum loss)recipe->loss, weight);
#if MEMORY
        if (t + 1 < n) {
            REAL *const later = d_row;
            d_row = d_next_row, d_next_row = later;
            memory_backward(row(w, t, longest), d_next_row, d_row, here, c + C_WEIGHTS * W, c + C_WRITTEN * W, t, n);
        }
#endif
        step_backward(p, w->gradient, here, c, d, temperature);
        encode_backward(w->gradient, d, ids[t]);
#if MEMORY
        REAL *head = memory_head(d_row, n);
        for (int i = 0; i < READ_SIZE; ++i) LANES AT(head, i) += LOCAL(d, D_READ + i);
#endif
        REAL *const used = c;
        c = d, d = used;
    }
    begin_backward(p, w->gradient, c);
}

static void move(const struct block *b, const struct work *w, const struct update *u, const struct recipe *recipe) {
    REAL *restrict p = b->parameters, *restrict m = b->average, *restrict v = b->square;
    const REAL *restrict g = w->gradient;
    const REAL rate = (REAL)u->rate, root = (REAL)u->scale, epsilon = (REAL)recipe->epsilon;
    const REAL beta1 = (REAL)recipe->beta1, beta2 = (REAL)recipe->beta2;
    if (recipe->optimiser == SGD) {
        _Pragma("omp simd") for (long i = 0; i < (long)PARAMETERS * W; ++i) FLAT(p, i) -= rate * FLAT(g, i);
        return;
    }
    _Pragma("omp simd") for (long i = 0; i < (long)PARAMETERS * W; ++i) {
        FLAT(m, i) = beta1 * FLAT(m, i) + (1 - beta1) * FLAT(g, i);
        FLAT(v, i) = beta2 * FLAT(v, i) + (1 - beta2) * FLAT(g, i) * FLAT(g, i);
        FLAT(p, i) -= rate * FLAT(m, i) / (SQRT(FLAT(v, i)) / root + epsilon);
    }
}

/* -- what is called */

int marnn_lanes(void) { return STRIDE; }

long long marnn_stride(void) { return padded(PARAMETERS) * STRIDE; }

/* How many numbers the work on strings up to this length takes. */
long long marnn_space(long longest) {
    return (padded(PARAMETERS) + padded(RECORD) * (longest + 1) + padded(ROW(longest)) * (longest + 2)) * STRIDE;
}

/* The gradient is left at the beginning of the space. */
void marnn_train(const struct block *b, const struct strings *s, const struct recipe *recipe,
                 const struct update *updates, long long count, long longest, REAL *space) {
    const struct work w = divide(space, longest);
    for (long long i = 0; i < count; ++i) {
        const struct update *u = updates + i;
        double *loss = b->losses + i * STRIDE;
        for (long j = 0; j < (long)PARAMETERS * W; ++j) FLAT(w.gradient, j) = 0;
        for (int j = 0; j < W; ++j) loss[j] = 0;
        for (long long string = u->first; string < u->last; ++string) learn(b, &w, u, recipe, s, string, longest, loss);
        if (u->rate != 0) move(b, &w, u, recipe);
    }
}

/* In each lane, how many strings have the right set of columns after every symbol: those of scores from `threshold` on.
   The keys are those of evaluation. */
void marnn_right(const struct block *b, const struct strings *s, double temperature, double threshold, long long count,
                 long longest, REAL *space, long long *right) {
    const struct work w = divide(space, longest);
    for (int j = 0; j < W; ++j) right[j] = 0;
    for (long long string = 0; string < count; ++string) {
        const int *ids = s->ids + s->offsets[string];
        const unsigned long long *answers = s->answers + s->offsets[string];
        const long n = (long)(s->offsets[string + 1] - s->offsets[string]);
        marnn_u64 prefix = 0;
        int wrong[W] = {0};
        begin(b->parameters, &w, n);
        for (long t = 0; t < n; ++t) {
            const REAL *here = record(&w, t);
            prefix = marnn_longer_prefix(prefix, (marnn_u64)ids[t]);
            draw(record(&w, t), b->keys, (marnn_u32)prefix, (marnn_u32)(prefix >> 32), t);
            advance(b->parameters, &w, ids[t], t, n, longest, (REAL)temperature, 0);
            for (int k = 0; k < COLUMNS; ++k)
                LANES wrong[l] |= (AT(here, Y + k) >= (REAL)threshold) != (int)(answers[t] >> k & 1);
        }
        for (int j = 0; j < W; ++j) right[j] += !wrong[j];
    }
}
