/* Streams: strings that a run is given side by side, a symbol each, step after step. A lane is a stream, and every lane
   has the run's parameters. How long the strings are is not known before, so no cell that something reached is left out.

   What a block of W streams keeps from step to step is its state and the contents of its memory. The record of a step is
   that of one block after the other, and stays in the core's nearest cache. */

static void draw_each(REAL *restrict here, marnn_u64 key, const marnn_u64 *restrict prefixes, long t) {
    for (int k = 0; k < NOISE; k += 2) LANES {
        marnn_u64 first, second;
        const marnn_u64 p = prefixes[l];
        marnn_philox((marnn_u32)p, (marnn_u32)(p >> 32), (marnn_u32)t, k / 2, key, &first, &second);
        AT(here, GUMBEL + k) = (REAL)marnn_gumbel(first);
        if (k + 1 < NOISE) AT(here, GUMBEL + k + 1) = (REAL)marnn_gumbel(second);
    }
}

/* How many numbers a block of streams of so many steps keeps; of more steps it keeps these and some behind them. */
long long marnn_stream_space(long steps) { return (padded(CARRIED) + endless_space(steps)) * STRIDE; }

/* Step t of all streams, counted from 0: the scores [stream][column] after the symbols ids [stream]; prefixes [stream],
   padded to whole blocks, and spaces, of so many steps, are kept from step to step. */
void marnn_step(const REAL *p, marnn_u64 key, double temperature, REAL *spaces, long steps,
                marnn_u64 *prefixes, const long long *ids, long long streams, long t, double *scores) {
    REAL here[RECORD * STRIDE] __attribute__((aligned(64)));
    for (long long first = 0; first < streams; first += W) {
        REAL *const state = spaces + first / W * marnn_stream_space(steps);
        int id[W];
        for (int i = 0; i < W; ++i) {
            id[i] = first + i < streams ? (int)ids[first + i] : 0;
            prefixes[first + i] = marnn_longer_prefix(prefixes[first + i], (marnn_u64)id[i]);
        }
        if (t == 0) begin_forward(p, state, 1);
        for (int k = 0; k < CARRIED; ++k) LANES AT(here, k) = AT(state, k);
#if SIDE > 1
        encode(p, here, id, 1);
#else
        encode_each(p, here, id);
#endif
        if (NOISY_ANSWERS) draw_each(here, key, prefixes + first, t);
#if MEMORY
        REAL *const contents = state + padded(CARRIED) * STRIDE;
        if (t == 0) contents_begin(contents, ENDLESS);
        contents_read(contents, here + READ * STRIDE, t, ENDLESS);
#endif
        step_evaluated(p, here, state, (REAL)temperature, 1);
#if MEMORY
        contents_forward(contents, here, t, ENDLESS);
#endif
#if REREADS
        contents_read(contents, here + REREAD * STRIDE, t + 1, ENDLESS);
        step_evaluated_reread(p, here, state, (REAL)temperature, 1);
#endif
        for (int i = 0; i < W && first + i < streams; ++i)
            for (int k = 0; k < COLUMNS; ++k) scores[(first + i) * COLUMNS + k] = (double)here[(Y + k) * STRIDE + i];
    }
}
