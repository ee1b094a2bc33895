/* Gumbel noise by Philox4x32-10 (Salmon et al. 2011): the numbers of cells/noise.py, in C99 that is CUDA as well.

   Needs maths.h before it. A step takes its numbers in blocks of two. Block b of step t of string q in update u is
   marnn_philox(u, q, t, b, key, ...); when a string is evaluated, and p stands for the prefix that ends with the step's
   symbol, it is marnn_philox((marnn_u32)p, (marnn_u32)(p >> 32), t, b, key, ...). The keys are of runs. */

#ifndef MARNN_PHILOX_H
#define MARNN_PHILOX_H

/* Two numbers of 64 bits of a counter of four words; of the four words of the block, the first and third are upper halves. */
MARNN_INLINE void marnn_philox(marnn_u32 c0, marnn_u32 c1, marnn_u32 c2, marnn_u32 c3, marnn_u64 key,
                               marnn_u64 *first, marnn_u64 *second) {
    marnn_u32 k0 = (marnn_u32)key, k1 = (marnn_u32)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const marnn_u64 p0 = (marnn_u64)c0 * 0xD2511F53U, p1 = (marnn_u64)c2 * 0xCD9E8D57U;
        c0 = (marnn_u32)(p1 >> 32) ^ c1 ^ k0;
        c2 = (marnn_u32)(p0 >> 32) ^ c3 ^ k1;
        c1 = (marnn_u32)p1;
        c3 = (marnn_u32)p0;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
    *first = ((marnn_u64)c0 << 32) | c1;
    *second = ((marnn_u64)c2 << 32) | c3;
}

/* A standard Gumbel number of 64 random bits: -log(-log u), where u is uniform on 2^52 points inside (0, 1). */
MARNN_INLINE double marnn_gumbel(marnn_u64 bits) {
    const double u = marnn_of_bits((bits >> 12) | 0x3ff0000000000000ULL) - (1.0 - 0x1p-53);
    return -marnn_log(-marnn_log(u));
}

/* What stands for a prefix with one more symbol; for the empty prefix stands 0. */
MARNN_INLINE marnn_u64 marnn_longer_prefix(marnn_u64 prefix, marnn_u64 symbol) {
    marnn_u64 mixed = prefix + (symbol + 1) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
}

#endif
