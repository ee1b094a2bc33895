/* Lanes: W runs are computed side by side, each number of one beside that of the others. Every loop over lanes is one
   vector instruction or a few, but where each goes its own way (EACH_LANE). A lane has arithmetic of its own: no run depends
   on those beside it.

   W = 1 is for larger models, whose columns fill the vectors. Of these up to SIDE strings of a batch are computed at once,
   so that weights are read once for several (STRINGS): a record, or what is of one step, lies behind that of the string before.

   AT     numbers that outlive a step: element i of this lane, STRIDE apart
   FLAT   the same numbers, one behind another whatever their lane
   LOCAL  numbers of one step

   As threads, W is 1 as well: the numbers of STRIDE threads lie side by side, and each sees those of its own run. */

#ifndef STRIDE
#define STRIDE W
#endif
#ifndef SIDE
#define SIDE 1
#endif
#define FLAT(numbers, i) (numbers)[(i) * (STRIDE / W)]
#define AT(numbers, i) (numbers)[(long)(i) * STRIDE + l]
#define LOCAL(numbers, i) (numbers)[(i) * W + l]

#if W == 1
enum { l = 0 };
#define LANES
#define EACH_LANE
#define EACH_COLUMN _Pragma("omp simd")
#else
#define LANES _Pragma("omp simd") for (int l = 0; l < W; ++l)
#define EACH_LANE for (int l = 0; l < W; ++l)
#define EACH_COLUMN
#endif

#if SIDE > 1
#define STRINGS for (int s = 0; s < strings; ++s)
#else
#define STRINGS
#endif

#ifdef __CUDACC__
#define restrict __restrict__
#define __builtin_sqrtf sqrtf
#define __builtin_fmaf fmaf
#define __builtin_sqrt sqrt
#define __builtin_fma fma
#endif

#ifdef SINGLE
typedef float REAL;
#define EXP marnn_expf
#define LOG marnn_logf
#define TANH marnn_tanhf
#define SIGMOID marnn_sigmoidf
#define SQRT __builtin_sqrtf
#define FMA __builtin_fmaf
#define TINY 1.17549435e-38f
#else
typedef double REAL;
#define EXP marnn_exp
#define LOG marnn_log
#define TANH marnn_tanh
#define SIGMOID marnn_sigmoid
#define SQRT __builtin_sqrt
#define FMA __builtin_fma
#define TINY 2.2250738585072014e-308
#endif

/* So many numbers and some more, that what follows lies where vectors like it. */
MARNN_INLINE long long padded(long long count) { return (count + 7) / 8 * 8; }

/* The product of two vectors whose numbers lie one behind another, summed in eight parts. */
MARNN_INLINE REAL dot(const REAL *restrict a, const REAL *restrict b, int n) {
    REAL part[8] = {0};
    int k = 0;
    for (; k + 8 <= n; k += 8) _Pragma("omp simd") for (int i = 0; i < 8; ++i) part[i] = FMA(a[k + i], b[k + i], part[i]);
    for (int i = 0; k + i < n; ++i) part[i] = FMA(a[k + i], b[k + i], part[i]);
    return ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
}

#ifndef __CUDACC__
/* Eight numbers, wherever they lie. */
typedef REAL EIGHT __attribute__((vector_size(8 * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

static inline __attribute__((always_inline)) void add_tile(const int rows, const int vectors, int inner,
                                                           const REAL *restrict a, long a_row, long a_step,
                                                           const REAL *restrict b, long b_step, REAL *restrict c, long c_row) {
    EIGHT sums[5][8];
    for (int i = 0; i < rows; ++i) for (int j = 0; j < vectors; ++j) sums[i][j] = *(EIGHT *)(c + i * c_row + 8 * j);
    for (int k = 0; k < inner; ++k)
        for (int j = 0; j < vectors; ++j) {
            const EIGHT row = *(const EIGHT *)(b + k * b_step + 8 * j);
            for (int i = 0; i < rows; ++i) sums[i][j] += a[i * a_row + k * a_step] * row;
        }
    for (int i = 0; i < rows; ++i) for (int j = 0; j < vectors; ++j) *(EIGHT *)(c + i * c_row + 8 * j) = sums[i][j];
}

/* So many rows of c + a b. */
static inline __attribute__((always_inline)) void add_rows(const int rows, const int vectors, int inner, int columns,
                                                           const REAL *restrict a, long a_row, long a_step,
                                                           const REAL *restrict b, long b_step, REAL *restrict c, long c_row) {
    int j = 0;
    for (; j + 8 * vectors <= columns; j += 8 * vectors) add_tile(rows, vectors, inner, a, a_row, a_step, b + j, b_step, c + j, c_row);
    for (; j + 8 <= columns; j += 8) add_tile(rows, 1, inner, a, a_row, a_step, b + j, b_step, c + j, c_row);
    for (; j < columns; ++j)
        for (int i = 0; i < rows; ++i) {
            REAL sum = c[i * c_row + j];
            for (int k = 0; k < inner; ++k) sum += a[i * a_row + k * a_step] * b[k * b_step + j];
            c[i * c_row + j] = sum;
        }
}

/* c + a b: rows times inner times columns numbers, each `row` or `step` apart; columns lie one behind another. Sums stay in
   registers, of up to five rows at once, so that b is read once for these. */
static __attribute__((noinline)) void add_product(int rows, int inner, int columns, const REAL *restrict a, long a_row, long a_step,
                        const REAL *restrict b, long b_step, REAL *restrict c, long c_row) {
    for (; rows >= 5; rows -= 5, a += 5 * a_row, c += 5 * c_row)
        add_rows(5, 4, inner, columns, a, a_row, a_step, b, b_step, c, c_row);
    if (rows == 4) add_rows(4, 4, inner, columns, a, a_row, a_step, b, b_step, c, c_row);
    if (rows == 3) add_rows(3, 4, inner, columns, a, a_row, a_step, b, b_step, c, c_row);
    if (rows == 2) add_rows(2, 4, inner, columns, a, a_row, a_step, b, b_step, c, c_row);
    if (rows == 1) add_rows(1, 8, inner, columns, a, a_row, a_step, b, b_step, c, c_row);
}
#endif
