import Datasets
import Foundation
import Geometry

/// A value of an update by which two runs are compared.
struct ComparedValue: Sendable {
  /// What it is in one update.
  enum Content: Equatable {
    case none
    case numbers([Double])
    case word(String)

    /// As text.
    var words: String {
      switch self {
      case .none: "none"
      case .numbers(let numbers): numbers.map { Words.fixed($0, 3) }.joined(separator: " ")
      case .word(let word): word
      }
    }
  }

  /// How two contents differ.
  enum Difference: Equatable {
    /// By this amount, in the value's unit.
    case amount(Double)
    /// One side has none.
    case oneSided
    /// Another word.
    case word
  }

  /// Kind of value: it decides the distance measure and the tolerance.
  enum Kind { case metres, radians, unitVector, word }

  /// Its name in `updates.jsonl`.
  var name: String
  /// Kind of value.
  var kind: Kind
  /// The value in an update.
  var read: @Sendable (UpdateRecord) -> Content

  /// The published values, in output order.
  static let all: [ComparedValue] = [
    Self(name: "distance", kind: .metres) { number($0.distance) },
    Self(name: "horizontalAngle", kind: .radians) { number($0.horizontalAngle?.value) },
    Self(name: "horizontalAngleInterval", kind: .radians) { update in
      update.horizontalAngle.map { .numbers([$0.low, $0.high]) } ?? .none
    },
    Self(name: "direction", kind: .unitVector) { vector($0.direction) },
    Self(name: "verticalDirectionEstimate", kind: .word) { word($0.verticalDirectionEstimate) },
    Self(name: "worldTransform", kind: .metres) { vector($0.worldPosition) },
    Self(name: "quality", kind: .word) { word($0.quality) },
    Self(name: "convergence", kind: .word) { .word(statusText($0)) },
    Self(name: "guidance", kind: .word) { word($0.guidance) },
  ]

  /// Status and reasons, in words.
  static func statusText(_ update: UpdateRecord) -> String {
    update.reasons.isEmpty ? update.status : "\(update.status) (\(update.reasons.joined(separator: ", ")))"
  }

  /// Largest difference that counts as none.
  func limit(_ tolerance: RunDifference.Tolerance) -> (Kind, Double) {
    (kind, kind == .metres ? tolerance.distance : tolerance.angle)
  }

  /// The difference of two contents; nil up to the limit.
  static func difference(_ a: Content, _ b: Content, _ limit: (kind: Kind, amount: Double)) -> Difference? {
    if a == b { return nil }
    switch (a, b) {
    case (.numbers(let x), .numbers(let y)) where x.count == y.count:
      let amount: Double
      switch limit.kind {
      case .radians: amount = zip(x, y).map { abs(Angle.wrapped($0 - $1)) }.max() ?? 0
      case .unitVector: amount = 2 * asin(min(1, norm(x, y) / 2))
      case .metres, .word: amount = norm(x, y)
      }
      return amount > limit.amount ? .amount(amount) : nil
    case (.none, _), (_, .none): return .oneSided
    default: return .word
    }
  }

  private static func norm(_ x: [Double], _ y: [Double]) -> Double {
    zip(x, y).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }

  private static func number(_ value: Double?) -> Content { value.map { .numbers([$0]) } ?? .none }
  private static func word(_ value: String?) -> Content { value.map { .word($0) } ?? .none }
  private static func vector(_ value: Vector3?) -> Content { value.map { .numbers([$0.x, $0.y, $0.z]) } ?? .none }
}
