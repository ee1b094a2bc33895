/* Streams: strings that a run is given side by side, a symbol each, step after step. A lane is a stream, and every lane
   has the run's parameters. How long the strings are is not known before, so no cell that something reached is left out.

   A block of W streams has two records, of which one is before the step and one after it, and the contents of a memory. */

static void draw_each(REAL *restrict here, marnn_u64 key, const marnn_u64 *restrict prefixes, long t) {
    for (int k = 0; k < NOISE; k += 2) LANES {
        marnn_u64 first, second;
        const marnn_u64 p = prefixes[l];
        marnn_philox((marnn_u32)p, (marnn_u32)(p >> 32), (marnn_u32)t, k / 2, key, &first, &second);
        AT(here, GUMBEL + k) = (REAL)marnn_gumbel(first);
        if (k + 1 < NOISE) AT(here, GUMBEL + k + 1) = (REAL)marnn_gumbel(second);
    }
}

/* How many numbers a block of streams of so many steps works in; of more steps it works in these and some behind them. */
long long marnn_stream_space(long steps) { return (2 * padded(RECORD) + endless_space(steps)) * STRIDE; }

/* Step t of all streams, counted from 0: the scores [stream][column] after the symbols ids [stream]; prefixes [stream],
   padded to whole blocks, and spaces, of so many steps, are kept from step to step. */
void marnn_step(const REAL *p, marnn_u64 key, double temperature, REAL *spaces, long steps,
                marnn_u64 *prefixes, const long long *ids, long long streams, long t, double *scores) {
    for (long long first = 0; first < streams; first += W) {
        REAL *const space = spaces + first / W * marnn_stream_space(steps);
        REAL *const records[2] = {space, space + padded(RECORD) * STRIDE};
        REAL *const here = records[t % 2], *const next = records[(t + 1) % 2];
        int id[W];
        for (int i = 0; i < W; ++i) {
            id[i] = first + i < streams ? (int)ids[first + i] : 0;
            prefixes[first + i] = marnn_longer_prefix(prefixes[first + i], (marnn_u64)id[i]);
        }
        if (t == 0) begin_forward(p, here);
        encode_each(p, here, id);
        if (NOISY_ANSWERS) draw_each(here, key, prefixes + first, t);
#if MEMORY
        REAL *const contents = space + 2 * padded(RECORD) * STRIDE;
        if (t == 0) contents_begin(contents, ENDLESS);
        contents_read(contents, here + READ * STRIDE, t, ENDLESS);
#endif
        step_evaluated(p, here, next, (REAL)temperature);
#if MEMORY
        contents_forward(contents, here, t, ENDLESS);
#endif
#if REREADS
        contents_read(contents, here + REREAD * STRIDE, t + 1, ENDLESS);
        step_evaluated_reread(p, here, next, (REAL)temperature);
#endif
        for (int i = 0; i < W && first + i < streams; ++i)
            for (int k = 0; k < COLUMNS; ++k) scores[(first + i) * COLUMNS + k] = (double)here[(Y + k) * STRIDE + i];
    }
}
