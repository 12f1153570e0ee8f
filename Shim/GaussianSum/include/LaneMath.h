/// Elementary functions of four lanes. Without an include guard: the kernel includes it once for each kind of
/// processor.

/// `b` where the mask is set, `a` elsewhere.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_replace(fuse_lanes a, fuse_lanes b, fuse_lanes_mask mask) {
  return (fuse_lanes)(((fuse_lanes_mask)a & ~mask) | ((fuse_lanes_mask)b & mask));
}

/// The larger of each lane and a number.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_at_least(fuse_lanes a, double least) {
  return fuse_lanes_replace(a, (fuse_lanes)(least), a < (fuse_lanes)(least));
}

/// `e^x`, to 1e-14; arguments are clamped to +-300, so that products of a few stay normal numbers.
///
/// `x = k log 2 + r` with integer k and `|r| <= log(2) / 2`, where the series to the eleventh power is exact to 1e-14.
/// Adding 1.5 * 2^52 rounds to an integer in the lowest bits, which are shifted to the exponent.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_exp(fuse_lanes x) {
  fuse_lanes bounded = fuse_lanes_replace(fuse_lanes_at_least(x, -300), (fuse_lanes)(300.0), x > (fuse_lanes)(300.0));
  fuse_lanes shifted = bounded * 1.4426950408889634 + 0x1.8p52;
  fuse_lanes k = shifted - 0x1.8p52;
  // log 2 in two parts, the first short enough for an exact product.
  fuse_lanes r = (bounded - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  fuse_lanes series = r * (1.0 / 39916800) + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  series = (series * r + 1.0) * r + 1.0;
  fuse_lanes_mask exponent = ((fuse_lanes_mask)shifted + 1023) << 52;
  return series * (fuse_lanes)exponent;
}

/// The normal distribution function `Phi(a)`, to a relative error of 1e-9 where it is above 1e-9; below that some
/// digits, and below -9 next to zero.
///
/// `exp(y^2) erfc(y)` is smooth in `1 / (1 + 0.35 y)`: a polynomial fitted at Chebyshev points for y in 0...4.5. `bell`
/// is `exp(-a^2 / 2)`.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_normal_cdf_of_bell(fuse_lanes a, fuse_lanes bell) {
  fuse_lanes magnitude = fuse_lanes_replace(a, -a, a < (fuse_lanes)(0.0));
  // 0.35 / sqrt(2).
  fuse_lanes t = 1.0 / (1.0 + 0.35 * 0.70710678118654757 * magnitude);
  fuse_lanes scaled = t * 0.0841549573591 - 0.500381723711;
  scaled = scaled * t + 1.08806470969;
  scaled = scaled * t - 1.09249421791;
  scaled = scaled * t + 0.987785612992;
  scaled = scaled * t - 0.259604386677;
  scaled = scaled * t + 0.323338790832;
  scaled = scaled * t + 0.168249297357;
  scaled = scaled * t + 0.20108663135;
  scaled = scaled * t - 0.000199670857513;
  fuse_lanes tail = 0.5 * bell * scaled;
  return fuse_lanes_replace(fuse_lanes_at_least(tail, 0), 1.0 - tail, a > (fuse_lanes)(0.0));
}

/// The same, from `a` alone.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_normal_cdf(fuse_lanes a) {
  return fuse_lanes_normal_cdf_of_bell(a, fuse_lanes_exp(-0.5 * a * a));
}

/// The same, at least 1e-9, for use as a divisor.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_clamped_normal_cdf(fuse_lanes a) {
  return fuse_lanes_replace(fuse_lanes_at_least(fuse_lanes_normal_cdf(a), 1e-9), (fuse_lanes)(1e-9),
                            a < (fuse_lanes)(-6.0));
}

/// The angle of the point (x, y), (-pi, pi], to 1e-14; 0 at the origin.
///
/// `atan(t) / t` is a polynomial of `t^2` for t up to tan(pi / 8), fitted at Chebyshev points; `atan(t) = pi / 4 +
/// atan((t - 1) / (t + 1))` beyond.
FUSE_LANES_INLINE fuse_lanes fuse_lanes_angle(fuse_lanes y, fuse_lanes x) {
  const fuse_lanes zero = (fuse_lanes)(0.0);
  fuse_lanes ax = fuse_lanes_replace(x, -x, x < zero), ay = fuse_lanes_replace(y, -y, y < zero);
  fuse_lanes_mask steep = ay > ax;
  fuse_lanes low = fuse_lanes_replace(ay, ax, steep), high = fuse_lanes_at_least(fuse_lanes_replace(ax, ay, steep),
                                                                                 1e-300);
  fuse_lanes_mask wide = low > 0.41421356237309503 * high;
  fuse_lanes t = fuse_lanes_replace(low, low - high, wide) / fuse_lanes_replace(high, low + high, wide);
  fuse_lanes z = t * t;
  fuse_lanes series = z * -0.025343233433241748 + 0.05026641473270309;
  series = series * z - 0.06506510701618512;
  series = series * z + 0.07673609902008809;
  series = series * z - 0.09089535257412294;
  series = series * z + 0.11111048991670738;
  series = series * z - 0.14285712657535882;
  series = series * z + 0.19999999978047844;
  series = series * z - 0.3333333333321421;
  series = series * z + 0.9999999999999987;
  fuse_lanes angle = t * series;
  angle = fuse_lanes_replace(angle, angle + 0.78539816339744828, wide);
  angle = fuse_lanes_replace(angle, 1.5707963267948966 - angle, steep);
  angle = fuse_lanes_replace(angle, 3.1415926535897931 - angle, x < zero);
  return fuse_lanes_replace(angle, -angle, y < zero);
}
