/* The program as a GPU runs it: a thread for each run, and STRIDE of them, whose numbers lie side by side, for each block.

   The text is C but for the words of CUDA: with these defined, a CPU runs it too, one thread after another. */

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers the parameters of a block take, and the work on strings up to this length. */
__global__ void marnn_sizes(long longest, long long *sizes) {
    sizes[0] = marnn_stride();
    sizes[1] = marnn_space(longest, 1);
}

/* Arrays are those of all blocks, one behind another; of sets and choices one is 0. */
__global__ void marnn_train_threads(REAL *parameters, REAL *average, REAL *square, double *losses,
                                    const unsigned long long *keys, const double *factors, const int *ids,
                                    const unsigned long long *sets, const int *choices, const long long *offsets,
                                    int loss, int optimiser, double beta1, double beta2, double epsilon, double bound,
                                    const struct update *updates, long long count, long longest, REAL *space) {
    const long long block = blockIdx.x, thread = threadIdx.x, first = block * marnn_stride() + thread;
    const long long lane = block * STRIDE + thread;
    const struct block b = {parameters + first, average + first, square + first,
                            losses + block * count * STRIDE + thread, keys + lane, factors + lane};
    const struct strings strings = {ids, sets, choices, offsets};
    const struct recipe recipe = {loss, optimiser, beta1, beta2, epsilon, bound};
    marnn_train(&b, &strings, &recipe, updates, count, longest, space + block * marnn_space(longest, 1) + thread);
}

/* loss, right, right_strings: [block][thread] */
__global__ void marnn_measure_threads(REAL *parameters, const unsigned long long *keys, const int *ids,
                                      const unsigned long long *sets, const int *choices, const long long *offsets,
                                      int kind, double temperature, double threshold, const unsigned char *looked_at,
                                      long long count, long longest, REAL *space, double *loss, long long *right,
                                      long long *right_strings) {
    const long long block = blockIdx.x, thread = threadIdx.x, lane = block * STRIDE + thread;
    const struct block b = {parameters + block * marnn_stride() + thread, 0, 0, 0, keys + lane, 0};
    const struct strings strings = {ids, sets, choices, offsets};
    marnn_measure(&b, &strings, kind, temperature, threshold, looked_at, count, longest,
                  space + block * marnn_space(longest, 1) + thread, loss + lane, right + lane, right_strings + lane);
}

#ifdef __cplusplus
}
#endif
