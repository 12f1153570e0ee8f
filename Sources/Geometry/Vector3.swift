/// A vector of R^3. Its unit is in the name or doc comment of the property that holds it.
public typealias Vector3 = SIMD3<Double>

extension SIMD3 where Scalar == Double {
  /// The scalar product.
  @inlinable public func dot(_ other: Self) -> Double { x * other.x + y * other.y + z * other.z }

  /// The vector product.
  @inlinable public func cross(_ o: Self) -> Self {
    Self(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x)
  }

  /// Euclidean length, squared.
  @inlinable public var squaredNorm: Double { dot(self) }

  /// Euclidean length.
  @inlinable public var norm: Double { dot(self).squareRoot() }

  /// The unit vector of the same direction; the zero vector stays zero.
  @inlinable @inline(__always) public var normalized: Self {
    let length = norm
    return length > 0 ? self / length : self
  }

  /// Length of the horizontal (x, y) part, in a world whose z is up.
  @inlinable public var horizontalNorm: Double { (x * x + y * y).squareRoot() }

  /// `[v]x`, the matrix with `[v]x w = v.cross(w)`.
  @inlinable public var skew: Matrix3 {
    Matrix3(columns: Self(0, z, -y), Self(-z, 0, x), Self(y, -x, 0))
  }

  /// True when no component is NaN or infinite.
  @inlinable public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

  /// Two unit vectors that complete this unit vector to a right-handed orthonormal basis `(self, e1, e2)`.
  ///
  /// `e1` is horizontal wherever that is defined, so that `e1` spans azimuth and `e2` elevation.
  @inlinable public var tangentBasis: (Self, Self) {
    let up = Self(0, 0, 1)
    var e1 = up.cross(self)
    if e1.squaredNorm < 1e-12 { e1 = Self(0, 1, 0).cross(self) }
    e1 = e1.normalized
    return (e1, cross(e1))
  }
}
