/// State augmentation: values of the vectors appended to a filter's state (peers). The covariance holds their errors.
package struct AugmentedStates {
  private struct Value {
    var block: ErrorCovariance.Block
    var present: [Double]
    var first: [Double]
  }
  private var values: [Value] = []

  /// Blocks of the vectors in the order of augmentation.
  var blocks: [ErrorCovariance.Block] { values.map(\.block) }

  mutating func add(_ block: ErrorCovariance.Block, _ value: [Double]) {
    values.append(Value(block: block, present: value, first: value))
  }

  mutating func remove(_ block: ErrorCovariance.Block) { values.removeAll { $0.block == block } }

  mutating func set(_ block: ErrorCovariance.Block, to value: [Double]) {
    let position = position(block)
    precondition(value.count == values[position].present.count, "a vector keeps its size")
    values[position].present = value
  }

  func present(_ block: ErrorCovariance.Block) -> [Double] { values[position(block)].present }
  func first(_ block: ErrorCovariance.Block) -> [Double] { values[position(block)].first }

  /// Adds each vector's rows of a full-state correction.
  mutating func apply(_ correction: [Double], _ covariance: ErrorCovariance) {
    for i in values.indices {
      let offset = covariance.offset(of: values[i].block)
      for j in values[i].present.indices { values[i].present[j] += correction[offset + j] }
    }
  }

  private func position(_ block: ErrorCovariance.Block) -> Int {
    guard let position = values.firstIndex(where: { $0.block == block }) else {
      preconditionFailure("this vector has been removed")
    }
    return position
  }
}
