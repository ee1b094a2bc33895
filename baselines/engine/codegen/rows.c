/* The contents of a stack, ring or list: row after row. Contents number t are those before symbol t; of a string n can be
   read. In training all n are kept, and on the way back the gradients of two. Where the length is not known before, two
   are kept, of which one is before a step and one after it. */

static const long ENDLESS = 1L << 30;

static inline long row_size(long n) { return padded(memory_slots(n) * CELL); }

static inline REAL *row(REAL *contents, long t, long n) {
    return contents + row_size(n) * (n == ENDLESS ? t % 2 : t) * STRIDE;
}

static inline REAL *d_row(REAL *contents, long t, long n) { return contents + row_size(n) * (n + t % 2) * STRIDE; }

static long long contents_space(long n) { return row_size(n) * (n + 2); }

static long long endless_space(long steps) { return row_size(ENDLESS) * 2; }

static void contents_begin(REAL *contents, long n) { memory_begin(row(contents, 0, n), n, FILL); }

static void contents_read(REAL *restrict contents, REAL *restrict read, long t, long n) {
    const REAL *head = memory_head(row(contents, t, n), n);
    for (int i = 0; i < READ_SIZE; ++i) LANES AT(read, i) = AT(head, i);
}

/* Contents t + 1, from t and the weights and what is written of the record. */
static void contents_forward(REAL *contents, const REAL *here, long t, long n) {
    memory_forward(row(contents, t, n), row(contents, t + 1, n), here, t, n);
}

/* The gradient of the last ones. */
static void contents_begin_backward(REAL *contents, long n) { memory_begin(d_row(contents, n - 1, n), n, 0); }

static void contents_read_backward(REAL *restrict contents, const REAL *restrict d_read, long t, long n) {
    REAL *head = memory_head(d_row(contents, t, n), n);
    for (int i = 0; i < READ_SIZE; ++i) LANES AT(head, i) += LOCAL(d_read, i);
}

static void contents_backward(REAL *contents, const REAL *here, REAL *d_weights, REAL *d_written, long t, long n) {
    memory_backward(row(contents, t, n), d_row(contents, t + 1, n), d_row(contents, t, n), here, d_weights, d_written, t, n);
}
