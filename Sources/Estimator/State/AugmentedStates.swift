/// State augmentation: values of the vectors appended to an inertial filter's state (stochastic cloning of a kept pose). The covariance holds their errors.
package struct AugmentedStates {
  private var values: [(block: ErrorCovariance.Block, value: [Double])] = []

  fileprivate subscript(block: ErrorCovariance.Block) -> [Double] {
    guard let found = values.first(where: { $0.block == block }) else {
      preconditionFailure("this vector has been removed")
    }
    return found.value
  }

  fileprivate mutating func add(_ block: ErrorCovariance.Block, _ value: [Double]) { values.append((block, value)) }

  fileprivate mutating func remove(_ block: ErrorCovariance.Block) { values.removeAll { $0.block == block } }

  /// Adds each vector's rows of a full-state correction.
  mutating func apply(_ correction: [Double], _ covariance: ErrorCovariance) {
    for i in values.indices {
      let offset = covariance.offset(of: values[i].block)
      for j in values[i].value.indices { values[i].value[j] += correction[offset + j] }
    }
  }
}

extension InertialNavigation {
  /// Appends a vector whose error is `sum_i J_i x_i + w` (see `ErrorCovariance.augment`); nil when a number is not finite.
  package func augment(
    _ value: [Double], jacobian: [(ErrorCovariance.Block, [Double])], independent: [Double]
  ) -> ErrorCovariance.Block? {
    guard value.allSatisfy(\.isFinite),
      let block = covariance.augment(size: value.count, jacobian: jacobian, independent: independent)
    else { return nil }
    vectors.add(block, value)
    return block
  }

  /// Present value of an augmented state.
  package func vector(_ block: ErrorCovariance.Block) -> [Double] { vectors[block] }

  /// Marginalises an augmented state.
  package func removeVector(_ block: ErrorCovariance.Block) {
    vectors.remove(block)
    covariance.remove(block)
  }
}
