// Part of the kernel: included once for each kind of processor, after Names.hpp.

/// Vectors of four components.
struct Vector {
  Lanes x, y, z;

  explicit Vector(const Lanes *p) : x(p[0]), y(p[1]), z(p[2]) {}
  Vector(Lanes x, Lanes y, Lanes z) : x(x), y(y), z(z) {}
  void store(Lanes *p) const { p[0] = x, p[1] = y, p[2] = z; }
  Lanes dot(Vector b) const { return x * b.x + y * b.y + z * b.z; }
  Vector cross(Vector b) const { return {y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x}; }
  Vector normalized() const { return (1.0 / root(dot(*this))) * *this; }
  Vector replaced(Vector b, Mask mask) const {
    return {replace(x, b.x, mask), replace(y, b.y, mask), replace(z, b.z, mask)};
  }
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(Lanes s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
};

/// Moves directions by two tangent angles and transports their bases.
static inline void move(Vector &u, Vector &e1, Lanes alpha1, Lanes alpha2) {
  Vector moved = (u + alpha1 * e1 + alpha2 * u.cross(e1)).normalized();
  e1 = (e1 - e1.dot(moved) * moved).normalized();
  u = moved;
}
