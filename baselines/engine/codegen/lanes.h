/* Lanes: W runs are computed side by side, each number of one beside that of the others. Every loop over lanes is one
   vector instruction or a few, but where each goes its own way (EACH_LANE). A lane has arithmetic of its own: no run depends
   on those beside it.

   W = 1 is for larger models, whose columns fill the vectors.

   AT     numbers that outlive a step: element i of this lane, STRIDE apart
   FLAT   the same numbers, one behind another whatever their lane
   LOCAL  numbers of one step

   As threads, W is 1 as well: the numbers of STRIDE threads lie side by side, and each sees those of its own run. */

#ifndef STRIDE
#define STRIDE W
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

/* The product of a vector and a matrix, whose rows lie `step` apart, is added: row after row, as they come from memory, for
   64 columns at once, whose sums stay in registers. */
static inline void add_product(const REAL *restrict x, const REAL *restrict m, long step, int rows, int columns,
                               REAL *restrict sums) {
    int j = 0;
    for (; j + 64 <= columns; j += 64) {
        EIGHT *s = (EIGHT *)(sums + j), s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3], s4 = s[4], s5 = s[5], s6 = s[6], s7 = s[7];
        for (int k = 0; k < rows; ++k) {
            const EIGHT *row = (const EIGHT *)(m + k * step + j);
            s0 += x[k] * row[0], s1 += x[k] * row[1], s2 += x[k] * row[2], s3 += x[k] * row[3];
            s4 += x[k] * row[4], s5 += x[k] * row[5], s6 += x[k] * row[6], s7 += x[k] * row[7];
        }
        s[0] = s0, s[1] = s1, s[2] = s2, s[3] = s3, s[4] = s4, s[5] = s5, s[6] = s6, s[7] = s7;
    }
    for (int k = 0; k < rows; ++k) EACH_COLUMN for (int i = j; i < columns; ++i) sums[i] = FMA(x[k], m[k * step + i], sums[i]);
}
#endif
