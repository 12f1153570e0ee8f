// Part of the kernel: included once for each kind of processor, after Vector.hpp. The fit of rotation and translation
// between two views, see `EpipolarDescent` in Swift: four descents side by side, each with sums in the order of the
// pairs.

/// Numbers of a row: residual, derivatives by the rotation (3) and by the translation along its two tangents, the
/// residual's size.
constexpr int numbers = 7, unknowns = 5;

static inline void fill(const fuse_two_views &views, Lanes *rows) {
  const Lanes w = views.state[0];
  const Vector axis(views.state + 1), translation(views.state + 4), e1(views.state + 7), e2(views.state + 10);
  for (int i = 0; i < views.count; ++i, rows += numbers) {
    const double *pair = views.pairs + 6 * i;
    const Vector then{Lanes(pair[0]), Lanes(pair[1]), Lanes(pair[2])};
    const Vector now{Lanes(pair[3]), Lanes(pair[4]), Lanes(pair[5])};
    const Vector twice = Lanes(2.0) * axis.cross(then), turned = then + w * twice + axis.cross(twice);
    const Vector plane = translation.cross(turned), across = now.cross(translation);
    const Vector u = plane.cross(now), v = across.cross(turned);
    const Lanes gradient = atLeast(root(u.dot(u) + v.dot(v)), 1e-6);
    const Vector byRotation = turned.cross(across), byTranslation = turned.cross(now);
    rows[0] = now.dot(plane) / gradient;
    rows[1] = byRotation.x / gradient, rows[2] = byRotation.y / gradient, rows[3] = byRotation.z / gradient;
    rows[4] = byTranslation.dot(e1) / gradient, rows[5] = byTranslation.dot(e2) / gradient;
    rows[6] = __builtin_elementwise_abs(rows[0]);
  }
}

/// 1.4826 times the median of the residuals' sizes: the largest that no more than half of them are below. O(count^2),
/// but without a branch.
static inline Lanes robustDeviation(const Lanes *rows, int count) {
  Lanes median = 0;
  for (int i = 0; i < count; ++i) {
    const Lanes a = rows[numbers * i + 6];
    Mask below = 0;
    for (int j = 0; j < count; ++j) below -= rows[numbers * j + 6] < a;
    median = replace(median, a, (below <= (Mask)(count / 2)) & (a > median));
  }
  return 1.4826 * median;
}

void twoViewsStep(const fuse_two_views &views, Lanes *rows, Lanes *deviations, Lanes *normal, Lanes *step,
                  Mask *isSolved) {
  fill(views, rows);
  const Lanes deviation = robustDeviation(rows, views.count), scale = atLeast(deviation, views.noise);
  const Lanes threshold = 2.0 * scale;
  *deviations = deviation;
  Lanes sums[triangle(unknowns)] = {}, x[unknowns] = {};
  for (int i = 0; i < views.count; ++i, rows += numbers) {
    const Lanes weight = 1.0 / (atLeast(rows[6] / threshold, 1) * scale * scale);
    for (int r = 0; r < unknowns; ++r) {
      const Lanes weighted = weight * rows[1 + r];
      x[r] -= weighted * rows[0];
      for (int c = 0; c <= r; ++c) sums[triangle(r) + c] += weighted * rows[1 + c];
    }
  }
  // A little of a prior: without translation its direction is open.
  for (int r = 0; r < unknowns; ++r) sums[triangle(r) + r] += r < 3 ? 1e-6 : 1e-2;
  for (int k = 0; k < triangle(unknowns); ++k) normal[k] = sums[k];
  Mask solved = Mask(-1);
  for (int r = 0; r < unknowns; ++r) {
    for (int c = 0; c <= r; ++c) {
      Lanes sum = sums[triangle(r) + c];
      for (int k = 0; k < c; ++k) sum -= sums[triangle(r) + k] * sums[triangle(c) + k];
      if (r == c) solved &= (sum > (Lanes)(0.0)) & (sum < (Lanes)(INFINITY));
      sums[triangle(r) + c] = r == c ? root(sum) : sum / sums[triangle(c) + c];
    }
  }
  for (int r = 0; r < unknowns; ++r) {
    for (int k = 0; k < r; ++k) x[r] -= sums[triangle(r) + k] * x[k];
    x[r] /= sums[triangle(r) + r];
  }
  for (int r = unknowns - 1; r >= 0; --r) {
    for (int k = r + 1; k < unknowns; ++k) x[r] -= sums[triangle(k) + r] * x[k];
    step[r] = x[r] /= sums[triangle(r) + r];
  }
  *isSolved = solved;
}
