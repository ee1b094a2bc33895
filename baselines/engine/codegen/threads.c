/* The program as a GPU runs it: a thread for each run, and STRIDE of them, whose numbers lie side by side, for each block.

   The text is C but for the words of CUDA: with these defined, a CPU runs it too, one thread after another. */

#ifdef __cplusplus
extern "C" {
#endif

/* How many numbers the parameters of a block take, and the work on strings up to this length. */
__global__ void marnn_sizes(long longest, long long *sizes) {
    sizes[0] = marnn_stride();
    sizes[1] = marnn_space(longest);
}

/* Arrays are those of all blocks, one behind another. */
__global__ void marnn_train_threads(REAL *parameters, REAL *average, REAL *square, double *losses,
                                    const unsigned long long *keys, const int *ids, const unsigned long long *answers,
                                    const long long *offsets, int loss, int optimiser, double beta1, double beta2,
                                    double epsilon, const struct update *updates, long long count, long longest,
                                    REAL *space) {
    const long long block = blockIdx.x, thread = threadIdx.x, first = block * marnn_stride() + thread;
    const struct block b = {parameters + first, average + first, square + first,
                            losses + block * count * STRIDE + thread, keys + block * STRIDE + thread};
    const struct strings strings = {ids, answers, offsets};
    const struct recipe recipe = {loss, optimiser, beta1, beta2, epsilon};
    marnn_train(&b, &strings, &recipe, updates, count, longest, space + block * marnn_space(longest) + thread);
}

/* right: [block][thread] */
__global__ void marnn_right_threads(REAL *parameters, const unsigned long long *keys, const int *ids,
                                    const unsigned long long *answers, const long long *offsets, double temperature,
                                    double threshold, long long count, long longest, REAL *space, long long *right) {
    const long long block = blockIdx.x, thread = threadIdx.x;
    const struct block b = {parameters + block * marnn_stride() + thread, 0, 0, 0, keys + block * STRIDE + thread};
    const struct strings strings = {ids, answers, offsets};
    marnn_right(&b, &strings, temperature, threshold, count, longest, space + block * marnn_space(longest) + thread,
                right + block * STRIDE + thread);
}

#ifdef __cplusplus
}
#endif
