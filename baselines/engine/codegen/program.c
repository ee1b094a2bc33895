/* The training of one block of W runs: update after update, over the strings of each.

   A run has PARAMETERS numbers. What a step leaves for the way back is a record of RECORD numbers on the tape. What lies
   before this text: the constants, the step (step_forward, step_backward), what it is given of a symbol (encode), the state
   before it (begin_forward, begin_backward), and the contents of the memory. If that is read after its update, too
   (REREADS), each step has a second half. */

/* Strings from first to before last, what each position that is asked weighs, and what is done with the gradient. */
struct update {
    long long number, first, last;
    double weight, temperature, rate, scale;
};

/* Strings one behind another: string i has the symbols from offsets[i] on. Their answers are sets, or else choices. */
struct strings {
    const int *ids;
    const unsigned long long *sets; /* a bit for each column */
    const int *choices; /* the right column, UNASKED, or COLUMNS where none is right */
    const long long *offsets;
};

enum { UNASKED = -1, OF_SET = -2 };

/* The columns that are right: of a set, or the one chosen. */
struct answer {
    unsigned long long set;
    int choice;
};

enum loss { SQUARED_ERROR, CROSS_ENTROPY };
enum optimiser { SGD, ADAM };

struct recipe {
    int loss, optimiser;
    double beta1, beta2, epsilon, bound; /* the last one of gradients */
};

/* Each [number][lane]; of the sums of Adam none is used by SGD. */
struct block {
    REAL *parameters, *average, *square;
    double *losses; /* [update][lane] */
    const unsigned long long *keys; /* of the noise, [lane] */
    const double *factors; /* of the rate, [lane]: a run with 0 stays as it is */
};

/* What an update works with. */
struct work {
    REAL *gradient, *tape, *contents;
};

/* How many contents of its memory a string of n symbols reads. */
static long reads(long n) { return n + REREADS; }

static struct work divide(REAL *space, long longest) {
    struct work w;
    w.gradient = space;
    w.tape = w.gradient + padded(PARAMETERS) * STRIDE;
    w.contents = w.tape + padded(RECORD) * (longest + 1) * STRIDE;
    return w;
}

static REAL *record(const struct work *w, long t) { return w->tape + padded(RECORD) * t * STRIDE; }

/* The noise of a step: philox.h says what the two numbers are. */
static void draw(REAL *restrict here, const unsigned long long *keys, marnn_u32 c0, marnn_u32 c1, long t) {
    for (int k = 0; k < NOISE; k += 2) LANES {
        marnn_u64 first, second;
        marnn_philox(c0, c1, (marnn_u32)t, k / 2, keys[l], &first, &second);
        AT(here, GUMBEL + k) = (REAL)marnn_gumbel(first);
        if (k + 1 < NOISE) AT(here, GUMBEL + k + 1) = (REAL)marnn_gumbel(second);
    }
}

static struct answer answer_at(const struct strings *s, long long at) {
    const struct answer of_set = {s->sets ? s->sets[at] : 0, OF_SET}, chosen = {0, s->sets ? 0 : s->choices[at]};
    return s->sets ? of_set : chosen;
}

static int is_right(struct answer answer, int k) {
    return k == answer.choice || (COLUMNS <= 64 && (answer.set >> (k & 63) & 1));
}

/* The loss of a step, times its weight, and the cotangent of its scores. */
static void compare(const REAL *restrict here, REAL *restrict c, double *restrict loss, struct answer answer,
                    enum loss kind, double weight) {
    for (int k = 0; k < COLUMNS; ++k) {
        const REAL right = (REAL)is_right(answer, k);
        if (kind == SQUARED_ERROR) LANES {
            const REAL error = AT(here, Y + k) - right;
            loss[l] += weight / COLUMNS * error * error;
            LOCAL(c, C_Y + k) = (REAL)(2 * weight / COLUMNS) * error;
        } else if (right == 0) LANES LOCAL(c, C_Y + k) = 0;
        else LANES {
            const REAL y = AT(here, Y + k), positive = y < TINY ? (REAL)TINY : y;
            loss[l] -= weight * LOG(positive);
            LOCAL(c, C_Y + k) = y < TINY ? 0 : -(REAL)weight / y;
        }
    }
}

/* A step forward, but for the noise, which is drawn before. */
static void advance(const REAL *p, const struct work *w, int id, long t, long n, REAL temperature, int training) {
    REAL *here = record(w, t), *next = record(w, t + 1);
    encode(p, here, id);
#if MEMORY
    contents_read(w->contents, here + READ * STRIDE, t, reads(n));
#endif
    if (training) step_forward(p, here, next, temperature);
    else step_evaluated(p, here, next, temperature);
#if MEMORY
    if (t + 1 < reads(n)) contents_forward(w->contents, here, t, reads(n));
#endif
#if REREADS
    contents_read(w->contents, here + REREAD * STRIDE, t + 1, reads(n));
    if (training) step_forward_reread(p, here, next, temperature);
    else step_evaluated_reread(p, here, next, temperature);
#endif
}

static void begin(const REAL *p, const struct work *w, long n) {
    begin_forward(p, record(w, 0));
#if MEMORY
    contents_begin(w->contents, reads(n));
#endif
}

/* The gradient of a string's loss is added to that of the update. */
static void learn(const struct block *b, const struct work *w, const struct update *u, const struct recipe *recipe,
                  const struct strings *s, long long string, double *loss) {
    const int *ids = s->ids + s->offsets[string];
    const long n = (long)(s->offsets[string + 1] - s->offsets[string]);
    const REAL *p = b->parameters;
    const REAL temperature = (REAL)u->temperature;
    REAL cotangents[COTANGENTS * W] = {0}, gradients[COTANGENTS * W];
    REAL *c = cotangents, *d = gradients;

    begin(p, w, n);
    for (long t = 0; t < n; ++t) {
        draw(record(w, t), b->keys, (marnn_u32)u->number, (marnn_u32)(string - u->first), t);
        advance(p, w, ids[t], t, n, temperature, 1);
    }

#if MEMORY
    contents_begin_backward(w->contents, reads(n));
#endif
    for (long t = n - 1; t >= 0; --t) {
        const REAL *here = record(w, t);
        const struct answer answer = answer_at(s, s->offsets[string] + t);
        if (answer.choice == UNASKED) for (int k = 0; k < COLUMNS; ++k) LANES LOCAL(c, C_Y + k) = 0;
        else compare(here, c, loss, answer, (enum loss)recipe->loss, u->weight);
#if REREADS
        step_backward_reread(p, w->gradient, here, c, d, temperature);
        contents_read_backward(w->contents, d + D_REREAD * W, t + 1, reads(n));
#endif
#if MEMORY
        if (t + 1 < reads(n))
            contents_backward(w->contents, here, c + C_WEIGHTS * W, c + C_WRITTEN * W, t, reads(n));
#endif
        step_backward(p, w->gradient, here, c, d, temperature);
        encode_backward(p, w->gradient, d, ids[t]);
#if MEMORY
        contents_read_backward(w->contents, d + D_READ * W, t, reads(n));
#endif
        REAL *const used = c;
        c = d, d = used;
    }
    begin_backward(p, w->gradient, c);
}

static REAL within(REAL x, REAL bound) { return x > bound ? bound : x < -bound ? -bound : x; }

static void move(const struct block *b, const struct work *w, const struct update *u, const struct recipe *recipe) {
    REAL *restrict p = b->parameters, *restrict m = b->average, *restrict v = b->square;
    const REAL *restrict g = w->gradient;
    const REAL root = (REAL)u->scale, epsilon = (REAL)recipe->epsilon, bound = (REAL)recipe->bound;
    const REAL beta1 = (REAL)recipe->beta1, beta2 = (REAL)recipe->beta2;
    REAL rate[W];
    LANES rate[l] = (REAL)(u->rate * b->factors[l]);
    if (recipe->optimiser == SGD) {
        EACH_COLUMN for (long i = 0; i < PARAMETERS; ++i) LANES {
            const REAL moved = AT(p, i) - rate[l] * within(AT(g, i), bound);
            AT(p, i) = rate[l] == 0 ? AT(p, i) : moved;
        }
        return;
    }
    EACH_COLUMN for (long i = 0; i < PARAMETERS; ++i) LANES {
        const REAL slope = within(AT(g, i), bound);
        AT(m, i) = beta1 * AT(m, i) + (1 - beta1) * slope;
        AT(v, i) = beta2 * AT(v, i) + (1 - beta2) * slope * slope;
        const REAL moved = AT(p, i) - rate[l] * AT(m, i) / (SQRT(AT(v, i)) / root + epsilon);
        AT(p, i) = rate[l] == 0 ? AT(p, i) : moved;
    }
}

/* -- what is called */

int marnn_lanes(void) { return STRIDE; }

long long marnn_stride(void) { return padded(PARAMETERS) * STRIDE; }

/* How many numbers the work on strings up to this length takes. */
long long marnn_space(long longest) {
    return (padded(PARAMETERS) + padded(RECORD) * (longest + 1) + contents_space(reads(longest))) * STRIDE;
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
        for (long long string = u->first; string < u->last; ++string) learn(b, &w, u, recipe, s, string, loss);
        if (u->rate != 0) move(b, &w, u, recipe);
    }
}

/* In which lanes an answer is wrong: a set is that of the scores from `threshold` on, and so is the one column of members;
   else the right column has the highest score of all that are looked at, alone. */
static void mark(const REAL *restrict here, int *restrict wrong, struct answer answer, REAL threshold,
                 const unsigned char *restrict looked_at) {
    if (answer.choice == OF_SET || COLUMNS == 1) {
        for (int k = 0; k < COLUMNS; ++k) LANES wrong[l] |= (AT(here, Y + k) >= threshold) != is_right(answer, k);
        return;
    }
    for (int k = 0; k < COLUMNS; ++k)
        if (looked_at[k] && k != answer.choice) LANES wrong[l] |= !(AT(here, Y + k) < AT(here, Y + answer.choice));
}

/* In each lane: the loss, summed over what is asked, and how much of that and how many strings are right. The keys are
   those of evaluation. */
void marnn_measure(const struct block *b, const struct strings *s, int kind, double temperature, double threshold,
                   const unsigned char *looked_at, long long count, long longest, REAL *space, double *loss,
                   long long *right, long long *right_strings) {
    const struct work w = divide(space, longest);
    REAL cotangents[COTANGENTS * W];
    for (int j = 0; j < W; ++j) loss[j] = 0, right[j] = right_strings[j] = 0;
    for (long long string = 0; string < count; ++string) {
        const int *ids = s->ids + s->offsets[string];
        const long n = (long)(s->offsets[string + 1] - s->offsets[string]);
        marnn_u64 prefix = 0;
        int wrong_string[W] = {0};
        begin(b->parameters, &w, n);
        for (long t = 0; t < n; ++t) {
            const REAL *here = record(&w, t);
            const struct answer answer = answer_at(s, s->offsets[string] + t);
            prefix = marnn_longer_prefix(prefix, (marnn_u64)ids[t]);
            if (NOISY_ANSWERS) draw(record(&w, t), b->keys, (marnn_u32)prefix, (marnn_u32)(prefix >> 32), t);
            advance(b->parameters, &w, ids[t], t, n, (REAL)temperature, 0);
            if (answer.choice == UNASKED) continue;
            int wrong[W] = {0};
            compare(here, cotangents, loss, answer, (enum loss)kind, 1.0);
            mark(here, wrong, answer, (REAL)threshold, looked_at);
            for (int j = 0; j < W; ++j) right[j] += !wrong[j], wrong_string[j] |= wrong[j];
        }
        for (int j = 0; j < W; ++j) right_strings[j] += !wrong_string[j];
    }
}
