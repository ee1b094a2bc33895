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

enum loss { SQUARED_ERROR, CROSS_ENTROPY, BINARY_CROSS_ENTROPY };
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

/* What an update works with: so many strings at once. If they are several, what a step is given of a symbol is computed
   once an update for each that occurs, and its cotangent is summed before it goes back. */
struct work {
    REAL *gradient, *turned, *encoded, *d_encoded, *tape, *contents;
    int strings;
    long long apart; /* the contents of one string from those of the next */
    unsigned char *seen; /* which symbols occurred: [SYMBOLS] */
};

/* How many contents of its memory a string of n symbols reads. */
static long reads(long n) { return n + REREADS; }

static struct work divide(REAL *space, long longest, int strings) {
    struct work w;
    w.strings = strings, w.apart = contents_space(reads(longest)) * STRIDE;
    w.gradient = space;
    w.turned = w.gradient + padded(PARAMETERS) * STRIDE;
    w.encoded = w.turned + (strings > 1 ? padded(PARAMETERS) * STRIDE : 0);
    w.d_encoded = w.encoded + (strings > 1 ? (long long)SYMBOLS * RECORD * STRIDE : 0);
    w.tape = w.d_encoded + (strings > 1 ? padded((long long)SYMBOLS * COTANGENTS) * STRIDE : 0);
    w.contents = w.tape + (long long)RECORD * strings * (longest + 1) * STRIDE;
    return w;
}

/* The records of a step, of one string behind another. */
static REAL *record(const struct work *w, long t) { return w->tape + (long long)RECORD * w->strings * t * STRIDE; }

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
    const int is_one = kind == CROSS_ENTROPY && answer.choice >= 0 && answer.choice < COLUMNS;
    if (is_one) for (int k = 0; k < COLUMNS; ++k) LANES LOCAL(c, C_Y + k) = 0;
    for (int k = is_one ? answer.choice : 0; k < (is_one ? answer.choice + 1 : COLUMNS); ++k) {
        const REAL right = (REAL)is_right(answer, k);
        if (kind == SQUARED_ERROR) LANES {
            const REAL error = AT(here, Y + k) - right;
            loss[l] += weight / COLUMNS * error * error;
            LOCAL(c, C_Y + k) = (REAL)(2 * weight / COLUMNS) * error;
        } else if (kind == BINARY_CROSS_ENTROPY) LANES {
            const REAL y = AT(here, Y + k), of_right = right ? y : 1 - y, positive = of_right < TINY ? (REAL)TINY : of_right;
            loss[l] -= weight / COLUMNS * LOG(positive);
            LOCAL(c, C_Y + k) = of_right < TINY ? 0 : (right ? -1 : 1) * (REAL)(weight / COLUMNS) / of_right;
        } else if (right == 0) LANES LOCAL(c, C_Y + k) = 0;
        else LANES {
            const REAL y = AT(here, Y + k), positive = y < TINY ? (REAL)TINY : y;
            loss[l] -= weight * LOG(positive);
            LOCAL(c, C_Y + k) = y < TINY ? 0 : -(REAL)weight / y;
        }
    }
}

#if SIDE > 1
static void encode_once(const REAL *p, const struct work *w, REAL *here, const int *id, int strings) {
    for (int s = 0; s < strings; ++s) {
        REAL *encoded = w->encoded + (long long)id[s] * RECORD, *d_encoded = w->d_encoded + (long long)id[s] * COTANGENTS;
        if (!w->seen[id[s]]) {
            w->seen[id[s]] = 1;
            encode(p, encoded, id + s, 1);
            for (int k = 0; k < X_SIZE; ++k) d_encoded[D_X + k] = 0;
        }
        EACH_COLUMN for (int k = 0; k < X_SIZE; ++k) here[s * RECORD + X + k] = encoded[X + k];
    }
}

static void sum_encoded(const struct work *w, const REAL *restrict d, const int *id, int strings) {
    for (int s = 0; s < strings; ++s) {
        REAL *restrict sum = w->d_encoded + (long long)id[s] * COTANGENTS;
        EACH_COLUMN for (int k = 0; k < X_SIZE; ++k) sum[D_X + k] += d[s * COTANGENTS + D_X + k];
    }
}

static void encode_backward_once(const REAL *p, const struct work *w) {
    for (int id = 0; id < SYMBOLS; ++id)
        if (w->seen[id]) encode_backward(p, w->gradient, w->d_encoded + (long long)id * COTANGENTS, &id, 1);
}
#endif

/* A step forward of the first so many strings, but for the noise, which is drawn before; n are their lengths. */
static void advance(const REAL *p, const struct work *w, const int *id, long t, const long *n, int strings, REAL temperature,
                    int training) {
    REAL *here = record(w, t), *next = record(w, t + 1);
#if SIDE > 1
    if (w->strings > 1) encode_once(p, w, here, id, strings);
    else
#endif
        encode(p, here, id, strings);
#if MEMORY
    for (int s = 0; s < strings; ++s)
        contents_read(w->contents + s * w->apart, here + (s * RECORD + READ) * STRIDE, t, reads(n[s]));
#endif
    if (training) step_forward(p, here, next, temperature, strings);
    else step_evaluated(p, here, next, temperature, strings);
#if MEMORY
    for (int s = 0; s < strings; ++s)
        if (t + 1 < reads(n[s])) contents_forward(w->contents + s * w->apart, here + s * RECORD * STRIDE, t, reads(n[s]));
#endif
#if REREADS
    for (int s = 0; s < strings; ++s)
        contents_read(w->contents + s * w->apart, here + (s * RECORD + REREAD) * STRIDE, t + 1, reads(n[s]));
    if (training) step_forward_reread(p, here, next, temperature, strings);
    else step_evaluated_reread(p, here, next, temperature, strings);
#endif
}

static void begin(const REAL *p, const struct work *w, const long *n, int strings) {
    begin_forward(p, record(w, 0), strings);
#if MEMORY
    for (int s = 0; s < strings; ++s) contents_begin(w->contents + s * w->apart, reads(n[s]));
#endif
}

/* What goes back through a step: with the matrices transposed before, if several strings are learned from at once. */
#if SIDE > 1
#define BACK(step) \
    (w->strings > 1 ? step##_turned(p, w->turned, w->gradient, here, c, d, temperature, strings) \
                    : step(p, w->gradient, here, c, d, temperature, strings))
#else
#define BACK(step) step(p, w->gradient, here, c, d, temperature, strings)
#endif

/* Strings that are learned from at once, the longest first, each with its number, its length and where it begins. */
struct strings_of {
    long long number[SIDE], from[SIDE];
    long n[SIDE];
};

static struct strings_of by_length(const struct strings *s, long long first, int strings) {
    struct strings_of sorted;
    for (int i = 0; i < strings; ++i) {
        const long n = (long)(s->offsets[first + i + 1] - s->offsets[first + i]);
        int at = i;
        for (; at > 0 && sorted.n[at - 1] < n; --at) {
            sorted.n[at] = sorted.n[at - 1], sorted.number[at] = sorted.number[at - 1], sorted.from[at] = sorted.from[at - 1];
        }
        sorted.n[at] = n, sorted.number[at] = first + i, sorted.from[at] = s->offsets[first + i];
    }
    return sorted;
}

/* How many of them have a symbol t. */
static int going(const struct strings_of *of, int strings, long t) {
    while (strings && of->n[strings - 1] <= t) --strings;
    return strings;
}

/* The gradient of the loss of so many strings is added to that of the update. */
static void learn(const struct block *b, const struct work *w, const struct update *u, const struct recipe *recipe,
                  const struct strings *s, long long first, int count, double *loss) {
    const struct strings_of of = by_length(s, first, count);
    const long longest = of.n[0];
    const REAL *p = b->parameters;
    const REAL temperature = (REAL)u->temperature;
    REAL cotangents[COTANGENTS * W * SIDE] = {0}, gradients[COTANGENTS * W * SIDE] = {0};
    REAL *c = cotangents, *d = gradients;
    int id[SIDE];

    begin(p, w, of.n, count);
    for (long t = 0; t < longest; ++t) {
        const int strings = going(&of, count, t);
        for (int i = 0; i < strings; ++i) {
            id[i] = s->ids[of.from[i] + t];
            draw(record(w, t) + i * RECORD * STRIDE, b->keys, (marnn_u32)u->number, (marnn_u32)(of.number[i] - u->first), t);
        }
        advance(p, w, id, t, of.n, strings, temperature, 1);
    }

#if MEMORY
    for (int i = 0; i < count; ++i) contents_begin_backward(w->contents + i * w->apart, reads(of.n[i]));
#endif
    for (long t = longest - 1; t >= 0; --t) {
        const int strings = going(&of, count, t);
        const REAL *here = record(w, t);
        for (int i = 0; i < strings; ++i) {
            REAL *c_y = c + i * COTANGENTS * W;
            const struct answer answer = answer_at(s, of.from[i] + t);
            id[i] = s->ids[of.from[i] + t];
            if (answer.choice == UNASKED) for (int k = 0; k < COLUMNS; ++k) LANES LOCAL(c_y, C_Y + k) = 0;
            else compare(here + i * RECORD * STRIDE, c_y, loss, answer, (enum loss)recipe->loss, u->weight);
        }
#if REREADS
        BACK(step_backward_reread);
        for (int i = 0; i < strings; ++i)
            contents_read_backward(w->contents + i * w->apart, d + (i * COTANGENTS + D_REREAD) * W, t + 1, reads(of.n[i]));
#endif
#if MEMORY
        for (int i = 0; i < strings; ++i) {
            REAL *c_of = c + i * COTANGENTS * W;
            if (t + 1 < reads(of.n[i]))
                contents_backward(w->contents + i * w->apart, here + i * RECORD * STRIDE, c_of + C_WEIGHTS * W, c_of + C_WRITTEN * W,
                                  t, reads(of.n[i]));
        }
#endif
        BACK(step_backward);
#if SIDE > 1
        if (w->strings > 1) sum_encoded(w, d, id, strings);
        else
#endif
            encode_backward(p, w->gradient, d, id, strings);
#if MEMORY
        for (int i = 0; i < strings; ++i)
            contents_read_backward(w->contents + i * w->apart, d + (i * COTANGENTS + D_READ) * W, t, reads(of.n[i]));
#endif
        REAL *const used = c;
        c = d, d = used;
    }
    begin_backward(p, w->gradient, c, count);
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

static int at_once(long long strings) { return strings < SIDE ? (int)strings : SIDE; }

/* How many numbers the work on batches of so many strings up to this length takes. */
long long marnn_space(long longest, long long batch) {
    const long long of_string = RECORD * (longest + 1) + contents_space(reads(longest));
    const long long of_batch = padded(PARAMETERS) + (long long)SYMBOLS * RECORD + padded((long long)SYMBOLS * COTANGENTS);
    return (padded(PARAMETERS) + (at_once(batch) > 1 ? of_batch : 0) + at_once(batch) * of_string) * STRIDE;
}

/* The gradient is left at the beginning of the space. */
void marnn_train(const struct block *b, const struct strings *s, const struct recipe *recipe,
                 const struct update *updates, long long count, long longest, REAL *space) {
    for (long long i = 0; i < count; ++i) {
        const struct update *u = updates + i;
        struct work w = divide(space, longest, at_once(u->last - u->first));
        unsigned char seen[SYMBOLS] = {0};
        w.seen = seen;
        double *loss = b->losses + i * STRIDE;
        for (long j = 0; j < (long)PARAMETERS * W; ++j) FLAT(w.gradient, j) = 0;
        for (int j = 0; j < W; ++j) loss[j] = 0;
        if (w.strings > 1) turn(b->parameters, w.turned);
        for (long long string = u->first; string < u->last; string += w.strings)
            learn(b, &w, u, recipe, s, string, at_once(u->last - string), loss);
#if SIDE > 1
        if (w.strings > 1) encode_backward_once(b->parameters, &w);
#endif
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
    const struct work w = divide(space, longest, 1);
    REAL cotangents[COTANGENTS * W];
    for (int j = 0; j < W; ++j) loss[j] = 0, right[j] = right_strings[j] = 0;
    for (long long string = 0; string < count; ++string) {
        const int *ids = s->ids + s->offsets[string];
        const long n = (long)(s->offsets[string + 1] - s->offsets[string]);
        marnn_u64 prefix = 0;
        int wrong_string[W] = {0};
        begin(b->parameters, &w, &n, 1);
        for (long t = 0; t < n; ++t) {
            const REAL *here = record(&w, t);
            const struct answer answer = answer_at(s, s->offsets[string] + t);
            prefix = marnn_longer_prefix(prefix, (marnn_u64)ids[t]);
            if (NOISY_ANSWERS) draw(record(&w, t), b->keys, (marnn_u32)prefix, (marnn_u32)(prefix >> 32), t);
            advance(b->parameters, &w, ids + t, t, &n, 1, (REAL)temperature, 0);
            if (answer.choice == UNASKED) continue;
            int wrong[W] = {0};
            compare(here, cotangents, loss, answer, (enum loss)kind, 1.0);
            mark(here, wrong, answer, (REAL)threshold, looked_at);
            for (int j = 0; j < W; ++j) right[j] += !wrong[j], wrong_string[j] |= wrong[j];
        }
        for (int j = 0; j < W; ++j) right_strings[j] += !wrong_string[j];
    }
}
