// QR decomposition by panels of reflections. Included as Products.hpp is, after it.

/// Up to four Householder reflections: I - s_q v_q v_q^T one after the other, the v_q side by side.
struct Panel {
  double *v;  ///< rows x 4
  int32_t rows;
  double scale[kPanel] = {};
  double coupling[kPanel][kPanel] = {};  ///< v_q^T v_p for p < q

  /// Triangularises the first `count` columns of A (rows `ld` apart) and keeps the reflections.
  Panel(double *A, int32_t rows, int32_t count, int32_t ld, double *v) : v(v), rows(rows) {
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 0; q < kPanel; ++q) v[i * kPanel + q] = q < count ? A[static_cast<size_t>(i) * ld + q] : 0;
    for (int32_t q = 0; q < count; ++q) reflect(q, count);
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 0; q < count; ++q) {
        A[static_cast<size_t>(i) * ld + q] = i < q ? v[i * kPanel + q] : i == q ? diagonal[q] : 0;
        if (i < q) v[i * kPanel + q] = 0;
      }
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t q = 1; q < kPanel; ++q)
        for (int32_t p = 0; p < q; ++p) coupling[q][p] += v[i * kPanel + q] * v[i * kPanel + p];
  }

  /// Applies the reflections to four columns.
  void apply(double *A, int32_t ld) const {
    Lanes w[kPanel] = {};
    for (int32_t i = 0; i < rows; ++i) {
      const Lanes a = load(A + static_cast<size_t>(i) * ld);
      for (int32_t q = 0; q < kPanel; ++q) w[q] += v[i * kPanel + q] * a;
    }
    for (int32_t q = 0; q < kPanel; ++q) {
      for (int32_t p = 0; p < q; ++p) w[q] -= coupling[q][p] * w[p];
      w[q] *= scale[q];
    }
    for (int32_t i = 0; i < rows; ++i) {
      double *a = A + static_cast<size_t>(i) * ld;
      const double *row = v + i * kPanel;
      store(a, load(a) - (row[0] * w[0] + row[1] * w[1] + row[2] * w[2] + row[3] * w[3]));
    }
  }

 private:
  double diagonal[kPanel] = {};

  /// The reflection of column q, applied to the panel's later columns.
  void reflect(int32_t q, int32_t count) {
    // Products of column q with all four, in two chains for speed.
    Lanes sums[2] = {};
    for (int32_t i = q; i < rows; ++i) sums[i & 1] += v[i * kPanel + q] * load(v + i * kPanel);
    double products[kPanel], steps[kPanel] = {};
    for (int32_t p = 0; p < kPanel; ++p) products[p] = sums[0][p] + sums[1][p];
    const double norm = std::sqrt(products[q]), top = v[q * kPanel + q];
    if (norm == 0) return;
    diagonal[q] = top < 0 ? norm : -norm;
    v[q * kPanel + q] = top - diagonal[q];
    scale[q] = -1 / (diagonal[q] * v[q * kPanel + q]);
    for (int32_t p = q + 1; p < count; ++p) steps[p] = scale[q] * (products[p] - diagonal[q] * v[q * kPanel + p]);
    const Lanes step = load(steps);
    for (int32_t i = q; i < rows; ++i) store(v + i * kPanel, load(v + i * kPanel) - v[i * kPanel + q] * step);
  }
};

static void triangularise(double *A, int32_t rows, int32_t m, int32_t ld, double *v) {
  for (int32_t k = 0; k < m; k += kPanel) {
    const int32_t count = std::min(kPanel, m - k);
    double *corner = A + static_cast<size_t>(k) * ld + k;
    const Panel panel(corner, rows - k, count, ld, v);
    for (int32_t j = count; k + j <= m; j += kPanel) panel.apply(corner + j, ld);
  }
}
