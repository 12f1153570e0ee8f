// Products of dense matrices. Included by each file that compiles them for one kind of processor, inside a namespace of
// its own, after Kernel.hpp. Every element is one sum in ascending order of the inner index, without fused
// multiplications: its bits depend neither on the processor nor on the tile that it falls into.

/// Four numbers.
typedef double Lanes __attribute__((vector_size(32)));

static inline Lanes load(const double *from) {
  Lanes value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
static inline void store(double *to, Lanes value) { __builtin_memcpy(to, &value, sizeof value); }

/// Rows of a tile; with FUSE_VECTORS vectors each, their sums just fit the registers.
constexpr int32_t kTileRows = 4;

/// C = A B, or C -= A B, on a tile of `Rows` rows and `Count` vectors of type `V`, from row i and column j of C on.
template <bool Subtracts, int32_t Rows, int32_t Count, typename V>
static inline void tile(const Product &p, int32_t i, int32_t j) {
  constexpr int32_t width = sizeof(V) / sizeof(double);
  V sums[Rows][Count] = {};
  const double *a = p.A.numbers + i * p.A.row;
  for (int32_t k = 0; k < p.inner; ++k, a += p.A.column) {
    const double *b = p.B.row(k) + j;
    V values[Count];
    __builtin_memcpy(values, b, sizeof values);
    for (int32_t r = 0; r < Rows; ++r)
      for (int32_t c = 0; c < Count; ++c) sums[r][c] += a[r * p.A.row] * values[c];
  }
  for (int32_t r = 0; r < Rows; ++r)
    for (int32_t c = 0; c < Count; ++c) {
      double *to = p.C + (i + r) * p.stride + j + c * width;
      V value = sums[r][c];
      if (Subtracts) {
        V before;
        __builtin_memcpy(&before, to, sizeof before);
        value = before - value;
      }
      __builtin_memcpy(to, &value, sizeof value);
    }
}

/// One strip of `Count` vectors from column j on, rows `first` ..< p.rows.
template <bool Subtracts, int32_t Count, typename V>
static inline void strip(const Product &p, int32_t first, int32_t j) {
  int32_t i = first;
  for (; i + kTileRows <= p.rows; i += kTileRows) tile<Subtracts, kTileRows, Count, V>(p, i, j);
  for (; i < p.rows; ++i) tile<Subtracts, 1, Count, V>(p, i, j);
}

/// All of C, or, for `Lower`, at least its lower triangle.
template <bool Subtracts, bool Lower>
static inline void strips(const Product &p) {
  int32_t j = 0;
  for (; j + 4 * FUSE_VECTORS <= p.columns; j += 4 * FUSE_VECTORS) strip<Subtracts, FUSE_VECTORS, Lanes>(p, Lower ? j : 0, j);
  for (; j + 4 <= p.columns; j += 4) strip<Subtracts, 1, Lanes>(p, Lower ? j : 0, j);
  for (; j < p.columns; ++j) strip<Subtracts, 1, double>(p, Lower ? j : 0, j);
}

static void multiply(const Product &p) { strips<false, false>(p); }

static void subtractSquare(const double *Y, int32_t k, int32_t n, double *P, int32_t ld) {
  strips<true, true>({P, ld, n, n, k, {Y, 1, n}, {Y, n, nullptr}});
}

static void solveLower(const double *L, int32_t k, double *Y, int32_t n) {
  for (int32_t top = 0; top < k; top += kTileRows) {
    const int32_t rows = std::min(kTileRows, k - top);
    double *own = Y + static_cast<size_t>(top) * n;
    const double *factor = L + static_cast<size_t>(top) * k;
    strips<true, false>({own, n, rows, n, top, {factor, k, 1}, {Y, n, nullptr}});
    for (int32_t i = 0; i < rows; ++i) {
      double *__restrict y = own + static_cast<size_t>(i) * n;
      for (int32_t j = 0; j < i; ++j) {
        const double *__restrict x = own + static_cast<size_t>(j) * n;
        const double f = factor[static_cast<size_t>(i) * k + top + j];
        for (int32_t c = 0; c < n; ++c) y[c] -= f * x[c];
      }
      const double inverse = 1 / factor[static_cast<size_t>(i) * k + top + i];
      for (int32_t c = 0; c < n; ++c) y[c] *= inverse;
    }
  }
}
