/* exp, log, tanh and the logistic function of double and of float, in C99 that is CUDA as well.

   Polynomials of our own and no library, so that speed and bits do not depend on a vendor's. No branches, so that a loop
   over lanes becomes vector code. Only selections and the +, -, *, / of IEEE 754, compiled without contraction to fused
   multiply-adds (-ffp-contract=off, NVRTC --fmad=false): the bits are the same by every compiler, on every CPU and GPU.
   -ffast-math breaks them. Infinities, NaN, signed zeros and denormal numbers are treated as by C99's functions.

   Relative error below 4e-16 in double, 2e-7 in float; where the result is denormal, one unit of the last place.
   The coefficients are those of mpmath.chebyfit, a comment gives the error that they leave. */

#ifndef MARNN_MATHS_H
#define MARNN_MATHS_H

#ifdef __CUDACC__
#define MARNN_INLINE static __device__ __forceinline__
#else
#define MARNN_INLINE static inline
#endif

typedef unsigned long long marnn_u64;
typedef unsigned int marnn_u32;

/* -- the bits of a number, and the number of bits */

MARNN_INLINE marnn_u64 marnn_bits(double x) {
    union { double number; marnn_u64 bits; } either;
    either.number = x;
    return either.bits;
}

MARNN_INLINE double marnn_of_bits(marnn_u64 x) {
    union { double number; marnn_u64 bits; } either;
    either.bits = x;
    return either.number;
}

MARNN_INLINE marnn_u32 marnn_bitsf(float x) {
    union { float number; marnn_u32 bits; } either;
    either.number = x;
    return either.bits;
}

MARNN_INLINE float marnn_of_bitsf(marnn_u32 x) {
    union { float number; marnn_u32 bits; } either;
    either.bits = x;
    return either.number;
}

/* -- double */

/* Adding this rounds to an integer, which then stands in the lowest bits. */
#define MARNN_ROUND 6755399441055744.0 /* 1.5 * 2^52 */
#define MARNN_LOG2_E 0x1.71547652b82fep+0
#define MARNN_LN2_HIGH 0x1.62e42fefa2000p-1 /* 40 bits: times an exponent it is exact */
#define MARNN_LN2_LOW 0x1.9ef35793c7673p-41

/* 2^n of an integer n in -1022..1023. */
MARNN_INLINE double marnn_power_of_two(double n) {
    return marnn_of_bits(marnn_bits(n + (MARNN_ROUND + 1023.0)) << 52);
}

/* x = n ln 2 + r with |r| <= ln 2 / 2: gives n and e^r - 1 = r + r^2 q(r); error 4e-17 */
MARNN_INLINE double marnn_reduced_expm1(double x, double *n) {
    const double whole = (x * MARNN_LOG2_E + MARNN_ROUND) - MARNN_ROUND;
    const double r = (x - whole * MARNN_LN2_HIGH) - whole * MARNN_LN2_LOW;
    const double r2 = r * r, r4 = r2 * r2;
    const double q01 = 0.5000000000000001 + r * 0.16666666666666667;
    const double q23 = 0.041666666666624128 + r * 0.0083333333333300618;
    const double q45 = 0.0013888888917213717 + r * 0.00019841269863053617;
    const double q67 = 2.4801521295954375e-5 + r * 2.7557268459997065e-6;
    const double q89 = 2.7620088445409748e-7 + r * 2.5100385495510319e-8;
    *n = whole;
    return r + r2 * ((q01 + r2 * q23) + r4 * ((q45 + r2 * q67) + r4 * q89));
}

MARNN_INLINE double marnn_exp(double x) {
    double n;
    x = x < -746.0 ? -746.0 : x; /* 0 */
    x = x > 710.0 ? 710.0 : x;   /* infinity */
    const double power = 1.0 + marnn_reduced_expm1(x, &n);
    const double half = (n * 0.5 + MARNN_ROUND) - MARNN_ROUND; /* 2^n itself may be no normal number */
    return power * marnn_power_of_two(half) * marnn_power_of_two(n - half);
}

/* 1 / (1 + e^-x), accurate where it is small, too. */
MARNN_INLINE double marnn_sigmoid(double x) {
    const double e = marnn_exp(x < 0.0 ? x : -x);
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

/* -t / (2 + t) with t = e^(-2 |x|) - 1, and the sign of x. */
MARNN_INLINE double marnn_tanh(double x) {
    const marnn_u64 sign = marnn_bits(x) & 0x8000000000000000ULL;
    double y = marnn_of_bits(marnn_bits(x) ^ sign), n;
    y = y > 20.0 ? 20.0 : y; /* 1 */
    const double p = marnn_reduced_expm1(-2.0 * y, &n), power = marnn_power_of_two(n);
    const double t = power * p + (power - 1.0);
    return marnn_of_bits(marnn_bits((0.0 - t) / (2.0 + t)) | sign);
}

/* x = 2^k m with m in [sqrt 1/2, sqrt 2), f = m - 1, s = f / (2 + f), and log m = 2 artanh s: that is
   f - (f^2/2 - s (f^2/2 + r(s^2))), where r(z) = (2 artanh(s) / s - 2) on [0, 0.0295]; error 5e-18 */
MARNN_INLINE double marnn_log(double x) {
    const double normal = x < 0x1p-1022 ? x * 0x1p54 : x;
    const marnn_u64 bits = marnn_bits(normal) + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
    const double shift = x < 0x1p-1022 ? 4503599627370496.0 + 1023.0 + 54.0 : 4503599627370496.0 + 1023.0;
    const double k = marnn_of_bits((bits >> 52) | 0x4330000000000000ULL) - shift;
    const double f = marnn_of_bits((bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL) - 1.0;
    const double s = f / (2.0 + f), z = s * s, z2 = z * z, half = 0.5 * f * f;
    const double r01 = 0.66666666666666697 + z * 0.39999999999899443;
    const double r23 = 0.28571428626003269 + z * 0.22222211130259877;
    const double r45 = 0.18182889455674946 + z * 0.15331710618210772;
    const double r = z * ((r01 + z2 * r23) + (z2 * z2) * (r45 + z2 * 0.14616585424888622));
    const double y = k * MARNN_LN2_HIGH + (f - (half - (s * (half + r) + k * MARNN_LN2_LOW)));
    const double infinity = marnn_of_bits(0x7ff0000000000000ULL);
    const double special = x > 0.0 ? infinity : x == 0.0 ? -infinity : infinity - infinity;
    return x > 0.0 && x < infinity ? y : x != x ? x : special;
}

/* -- float */

#define MARNN_ROUNDF 12582912.0f /* 1.5 * 2^23 */
#define MARNN_LOG2_EF 0x1.715476p+0f
#define MARNN_LN2_HIGHF 0x1.62ep-1f
#define MARNN_LN2_LOWF 0x1.0bfbe8p-15f

MARNN_INLINE float marnn_power_of_twof(float n) {
    return marnn_of_bitsf(marnn_bitsf(n + (MARNN_ROUNDF + 127.0f)) << 23);
}

MARNN_INLINE float marnn_reduced_expm1f(float x, float *n) {
    const float whole = (x * MARNN_LOG2_EF + MARNN_ROUNDF) - MARNN_ROUNDF;
    const float r = (x - whole * MARNN_LN2_HIGHF) - whole * MARNN_LN2_LOWF;
    const float r2 = r * r;
    const float q01 = 0.5f + r * 0.16666577f;
    const float q23 = 0.0416665546f + r * 0.00836317905f;
    *n = whole;
    return r + r2 * (q01 + r2 * (q23 + r2 * 0.00139261836f)); /* error 3e-8 */
}

MARNN_INLINE float marnn_expf(float x) {
    float n;
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    const float power = 1.0f + marnn_reduced_expm1f(x, &n);
    const float half = (n * 0.5f + MARNN_ROUNDF) - MARNN_ROUNDF;
    return power * marnn_power_of_twof(half) * marnn_power_of_twof(n - half);
}

MARNN_INLINE float marnn_sigmoidf(float x) {
    const float e = marnn_expf(x < 0.0f ? x : -x);
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

MARNN_INLINE float marnn_tanhf(float x) {
    const marnn_u32 sign = marnn_bitsf(x) & 0x80000000U;
    float y = marnn_of_bitsf(marnn_bitsf(x) ^ sign), n;
    y = y > 10.0f ? 10.0f : y;
    const float p = marnn_reduced_expm1f(-2.0f * y, &n), power = marnn_power_of_twof(n);
    const float t = power * p + (power - 1.0f);
    return marnn_of_bitsf(marnn_bitsf((0.0f - t) / (2.0f + t)) | sign);
}

/* r: error 3e-9 */
MARNN_INLINE float marnn_logf(float x) {
    const float normal = x < 0x1p-126f ? x * 0x1p25f : x;
    const marnn_u32 bits = marnn_bitsf(normal) + (0x3f800000U - 0x3f3504f3U);
    const float shift = x < 0x1p-126f ? 8388608.0f + 127.0f + 25.0f : 8388608.0f + 127.0f;
    const float k = marnn_of_bitsf((bits >> 23) | 0x4b000000U) - shift;
    const float f = marnn_of_bitsf((bits & 0x007fffffU) + 0x3f3504f3U) - 1.0f;
    const float s = f / (2.0f + f), z = s * s, half = 0.5f * f * f;
    const float r = z * (0.66666685f + z * (0.399887783f + z * 0.29580053f));
    const float y = k * MARNN_LN2_HIGHF + (f - (half - (s * (half + r) + k * MARNN_LN2_LOWF)));
    const float infinity = marnn_of_bitsf(0x7f800000U);
    const float special = x > 0.0f ? infinity : x == 0.0f ? -infinity : infinity - infinity;
    return x > 0.0f && x < infinity ? y : x != x ? x : special;
}

#endif
