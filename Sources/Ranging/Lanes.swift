import Geometry

/// Four numbers side by side, one of each of four hypotheses: what is done to one is done to all.
package typealias Lanes = SIMD4<Double>

extension SIMD4<Double> {
  /// `e^x` of each, to 1e-14; arguments beyond +-300 count as that: products of a few stay normal numbers.
  ///
  /// `x = k log 2 + r` with a whole k and `|r| <= log(2) / 2`, where the series to the eleventh power is exact to 1e-14. Adding
  /// 1.5 * 2^52 rounds to a whole number and leaves it in the lowest bits, from where it goes to the exponent's.
  @inline(__always)
  package static func exp(_ x: Lanes) -> Lanes {
    let bounded = x.atLeast(-300).replacing(with: 300, where: x .> 300)
    let shifted = bounded * 1.4426950408889634 + 0x1.8p52
    let k = shifted - 0x1.8p52
    // log 2 in two parts, the first with so few digits that its product is exact.
    let r = (bounded - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33
    var series = r * (1.0 / 39_916_800) + 1.0 / 3_628_800
    series = series * r + 1.0 / 362_880
    series = series * r + 1.0 / 40320
    series = series * r + 1.0 / 5040
    series = series * r + 1.0 / 720
    series = series * r + 1.0 / 120
    series = series * r + 1.0 / 24
    series = series * r + 1.0 / 6
    series = series * r + 0.5
    series = (series * r + 1) * r + 1
    let exponent = (unsafeBitCast(shifted, to: SIMD4<Int64>.self) &+ 1023) &<< 52
    return series * unsafeBitCast(exponent, to: Lanes.self)
  }

  /// The normal distribution function `Phi(a)`, to a relative error of 1e-9 where it is above 1e-9; never less than that.
  ///
  /// `exp(y^2) erfc(y)` is smooth in `1 / (1 + 0.35 y)`: a polynomial fitted to it at Chebyshev's points for y in 0...4.5.
  @inline(__always)
  package static func normalShare(below a: Lanes) -> Lanes {
    let magnitude = a.replacing(with: -a, where: a .< 0)
    let t = 1 / (1 + (0.35 * 0.5.squareRoot()) * magnitude)
    var scaled = t * 0.0841549573591 - 0.500381723711
    scaled = scaled * t + 1.08806470969
    scaled = scaled * t - 1.09249421791
    scaled = scaled * t + 0.987785612992
    scaled = scaled * t - 0.259604386677
    scaled = scaled * t + 0.323338790832
    scaled = scaled * t + 0.168249297357
    scaled = scaled * t + 0.20108663135
    scaled = scaled * t - 0.000199670857513
    let tail = (0.5 * exp(-0.5 * a * a) * scaled).replacing(with: 1e-9, where: magnitude .> 6)
    return tail.replacing(with: 1 - tail, where: a .> 0).atLeast(1e-9)
  }

  /// The larger of each and a number.
  @inline(__always)
  func atLeast(_ least: Double) -> Lanes { replacing(with: least, where: self .< least) }
}

/// Four vectors side by side.
struct LaneVector {
  var x, y, z: Lanes

  @inline(__always)
  init(_ x: Lanes, _ y: Lanes, _ z: Lanes) { (self.x, self.y, self.z) = (x, y, z) }

  /// The same vector four times.
  @inline(__always)
  init(repeating v: Vector3) {
    self.init(Lanes(repeating: v.x), Lanes(repeating: v.y), Lanes(repeating: v.z))
  }

  /// Three numbers one after the other.
  @inline(__always)
  init(_ p: UnsafePointer<Lanes>) { self.init(p[0], p[1], p[2]) }

  @inline(__always)
  func store(_ p: UnsafeMutablePointer<Lanes>) { (p[0], p[1], p[2]) = (x, y, z) }

  subscript(lane: Int) -> Vector3 { Vector3(x[lane], y[lane], z[lane]) }

  @inline(__always)
  static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y, a.z + b.z) }
  @inline(__always)
  static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y, a.z - b.z) }
  @inline(__always)
  static func * (s: Lanes, a: Self) -> Self { Self(s * a.x, s * a.y, s * a.z) }

  @inline(__always)
  func dot(_ b: Self) -> Lanes { x * b.x + y * b.y + z * b.z }
  @inline(__always)
  func cross(_ b: Self) -> Self { Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x) }
  @inline(__always)
  var normalized: Self { (1 / dot(self).squareRoot()) * self }
  @inline(__always)
  func replacing(with b: Self, where mask: SIMDMask<SIMD4<Int64>>) -> Self {
    Self(x.replacing(with: b.x, where: mask), y.replacing(with: b.y, where: mask), z.replacing(with: b.z, where: mask))
  }
}
