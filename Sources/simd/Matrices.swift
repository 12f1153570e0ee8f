// Apple's square matrices: columns as a tuple, everything else from `SquareMatrix`.

/// A 4x4 matrix of single-precision numbers, by columns: with Apple, `columns.3` of a pose is its translation.
public struct simd_float4x4: SquareMatrix {
  /// The columns.
  public var columns: (simd_float4, simd_float4, simd_float4, simd_float4)

  /// The zero matrix.
  public init() { columns = (.zero, .zero, .zero, .zero) }

  /// A matrix from its columns.
  public init(_ c0: simd_float4, _ c1: simd_float4, _ c2: simd_float4, _ c3: simd_float4) { columns = (c0, c1, c2, c3) }

  /// A matrix from its columns.
  public init(columns: (simd_float4, simd_float4, simd_float4, simd_float4)) { self.columns = columns }

  /// Column `column`, 0...3.
  public subscript(column: Int) -> simd_float4 {
    get {
      switch column {
      case 0: columns.0
      case 1: columns.1
      case 2: columns.2
      default: columns.3
      }
    }
    set {
      switch column {
      case 0: columns.0 = newValue
      case 1: columns.1 = newValue
      case 2: columns.2 = newValue
      default: columns.3 = newValue
      }
    }
  }
}

/// A 3x3 matrix of single-precision numbers, by columns: a rotation, or a camera's intrinsics.
public struct simd_float3x3: SquareMatrix {
  /// The columns.
  public var columns: (simd_float3, simd_float3, simd_float3)

  /// The zero matrix.
  public init() { columns = (.zero, .zero, .zero) }

  /// A matrix from its columns.
  public init(_ c0: simd_float3, _ c1: simd_float3, _ c2: simd_float3) { columns = (c0, c1, c2) }

  /// A matrix from its columns.
  public init(columns: (simd_float3, simd_float3, simd_float3)) { self.columns = columns }

  /// Column `column`, 0...2.
  public subscript(column: Int) -> simd_float3 {
    get {
      switch column {
      case 0: columns.0
      case 1: columns.1
      default: columns.2
      }
    }
    set {
      switch column {
      case 0: columns.0 = newValue
      case 1: columns.1 = newValue
      default: columns.2 = newValue
      }
    }
  }
}

/// A 2x2 matrix of single-precision numbers, by columns: a rotation in the plane.
public struct simd_float2x2: SquareMatrix {
  /// The columns.
  public var columns: (simd_float2, simd_float2)

  /// The zero matrix.
  public init() { columns = (.zero, .zero) }

  /// A matrix from its columns.
  public init(_ c0: simd_float2, _ c1: simd_float2) { columns = (c0, c1) }

  /// A matrix from its columns.
  public init(columns: (simd_float2, simd_float2)) { self.columns = columns }

  /// Column `column`, 0...1.
  public subscript(column: Int) -> simd_float2 {
    get {
      switch column {
      case 0: columns.0
      default: columns.1
      }
    }
    set {
      switch column {
      case 0: columns.0 = newValue
      default: columns.1 = newValue
      }
    }
  }
}

/// A 4x4 matrix of double-precision numbers, by columns: as `simd_float4x4`.
public struct simd_double4x4: SquareMatrix {
  /// The columns.
  public var columns: (simd_double4, simd_double4, simd_double4, simd_double4)

  /// The zero matrix.
  public init() { columns = (.zero, .zero, .zero, .zero) }

  /// A matrix from its columns.
  public init(_ c0: simd_double4, _ c1: simd_double4, _ c2: simd_double4, _ c3: simd_double4) {
    columns = (c0, c1, c2, c3)
  }

  /// A matrix from its columns.
  public init(columns: (simd_double4, simd_double4, simd_double4, simd_double4)) { self.columns = columns }

  /// Column `column`, 0...3.
  public subscript(column: Int) -> simd_double4 {
    get {
      switch column {
      case 0: columns.0
      case 1: columns.1
      case 2: columns.2
      default: columns.3
      }
    }
    set {
      switch column {
      case 0: columns.0 = newValue
      case 1: columns.1 = newValue
      case 2: columns.2 = newValue
      default: columns.3 = newValue
      }
    }
  }
}

/// A 3x3 matrix of double-precision numbers, by columns: as `simd_float3x3`.
public struct simd_double3x3: SquareMatrix {
  /// The columns.
  public var columns: (simd_double3, simd_double3, simd_double3)

  /// The zero matrix.
  public init() { columns = (.zero, .zero, .zero) }

  /// A matrix from its columns.
  public init(_ c0: simd_double3, _ c1: simd_double3, _ c2: simd_double3) { columns = (c0, c1, c2) }

  /// A matrix from its columns.
  public init(columns: (simd_double3, simd_double3, simd_double3)) { self.columns = columns }

  /// Column `column`, 0...2.
  public subscript(column: Int) -> simd_double3 {
    get {
      switch column {
      case 0: columns.0
      case 1: columns.1
      default: columns.2
      }
    }
    set {
      switch column {
      case 0: columns.0 = newValue
      case 1: columns.1 = newValue
      default: columns.2 = newValue
      }
    }
  }
}

/// The name without prefix, as Swift code has it.
public typealias float4x4 = simd_float4x4
/// The name without prefix, as Swift code has it.
public typealias float3x3 = simd_float3x3
/// The name without prefix, as Swift code has it.
public typealias float2x2 = simd_float2x2
/// The name without prefix, as Swift code has it.
public typealias double4x4 = simd_double4x4
/// The name without prefix, as Swift code has it.
public typealias double3x3 = simd_double3x3
/// The name of older code.
public typealias matrix_float4x4 = simd_float4x4
/// The name of older code.
public typealias matrix_float3x3 = simd_float3x3

/// The identity matrix.
public let matrix_identity_float4x4 = simd_float4x4(1)
/// The identity matrix.
public let matrix_identity_float3x3 = simd_float3x3(1)
/// The identity matrix.
public let matrix_identity_float2x2 = simd_float2x2(1)
/// The identity matrix.
public let matrix_identity_double4x4 = simd_double4x4(1)
/// The identity matrix.
public let matrix_identity_double3x3 = simd_double3x3(1)

/// A matrix from its columns.
public func simd_matrix(_ c0: simd_float4, _ c1: simd_float4, _ c2: simd_float4, _ c3: simd_float4) -> simd_float4x4 {
  simd_float4x4(c0, c1, c2, c3)
}
/// A matrix from its columns.
public func simd_matrix(_ c0: simd_float3, _ c1: simd_float3, _ c2: simd_float3) -> simd_float3x3 {
  simd_float3x3(c0, c1, c2)
}
/// A matrix from its rows.
public func simd_matrix_from_rows(_ r0: simd_float3, _ r1: simd_float3, _ r2: simd_float3) -> simd_float3x3 {
  simd_float3x3(r0, r1, r2).transpose
}
/// A diagonal matrix.
public func simd_diagonal_matrix(_ diagonal: simd_float4) -> simd_float4x4 { simd_float4x4(diagonal: diagonal) }
/// A diagonal matrix.
public func simd_diagonal_matrix(_ diagonal: simd_float3) -> simd_float3x3 { simd_float3x3(diagonal: diagonal) }
/// The product of two matrices, under the name of older code.
public func matrix_multiply<M: SquareMatrix>(_ a: M, _ b: M) -> M { a * b }
/// The product of a matrix and a column, under the name of older code.
public func matrix_multiply<M: SquareMatrix>(_ a: M, _ b: M.Column) -> M.Column { a * b }
