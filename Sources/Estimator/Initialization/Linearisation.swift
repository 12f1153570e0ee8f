import Geometry

extension InitializationRefinement {
  /// Normal equations of states and points; the points are eliminated one by one.
  struct Linearisation: Sendable {
    /// A step of all unknowns: states by block, points as (e1, e2, inverse distance).
    struct Step {
      var states: [Vector3]
      var points: [Vector3]
    }

    /// Equations of one point.
    struct Point: Sendable {
      var square = Matrix3.zero
      var right = Vector3.zero
      var cost = 0.0
      var observationCost = 0.0
      /// Cross terms of the point with states: a state's block (rows) and the point (columns).
      var columns: [(index: Int, cross: Matrix3)] = []

      /// Huber's weight and cost of a residual in sigmas.
      static func huber(_ residual: SIMD2<Double>, threshold: Double) -> (weight: Double, cost: Double) {
        let size = (residual * residual).sum().squareRoot()
        return size <= threshold ? (1, size * size) : (threshold / size, 2 * threshold * size - threshold * threshold)
      }

      /// Adds an observation with Huber's weight beyond `threshold` sigmas; returns the weight.
      mutating func add(_ observation: InitializationPoint.LinearObservation, threshold: Double) -> Double {
        let (weight, cost) = Self.huber(observation.residual, threshold: threshold)
        observationCost += cost
        let (a, b) = (observation.rows.0.point, observation.rows.1.point)
        square += weight * (Matrix3(outer: a, a) + Matrix3(outer: b, b))
        right += weight * (a * observation.residual.x + b * observation.residual.y)
        return weight
      }

      /// Adds the coupling of an observation to the states it depends on, each by its block and its two rows of the
      /// Jacobian.
      mutating func couple(
        _ observation: InitializationPoint.LinearObservation, weight: Double,
        to blocks: [(index: Int, rows: (Vector3, Vector3))], _ system: inout BlockSystem
      ) {
        func outer(_ a: (Vector3, Vector3), _ b: (Vector3, Vector3)) -> Matrix3 {
          weight * (Matrix3(outer: a.0, b.0) + Matrix3(outer: a.1, b.1))
        }
        let point = (observation.rows.0.point, observation.rows.1.point)
        for (i, a) in blocks.enumerated() {
          for b in blocks[i...] { system.add(a.index, b.index, outer(a.rows, b.rows)) }
          system.right[a.index] += weight * (a.rows.0 * observation.residual.x + a.rows.1 * observation.residual.y)
          let cross = outer(a.rows, point)
          if let known = columns.firstIndex(where: { $0.index == a.index }) {
            columns[known].cross += cross
          } else {
            columns.append((a.index, cross))
          }
        }
      }
    }

    /// Of the states, points fixed.
    var system: BlockSystem
    /// Of the points.
    var points: [Point] = []
    /// The observations' part of the cost.
    var observationCost = 0.0

    init(size: Int) { system = BlockSystem(size: size) }

    var cost: Double { system.cost }

    /// The states' equations with the points eliminated, and each point's inverse; nil when a point's block is
    /// singular.
    func reduced(damping: Double) -> (system: BlockSystem, inverses: [Matrix3])? {
      var reduced = system
      reduced.damp(damping)
      var inverses: [Matrix3] = []
      for point in points {
        let diagonal = Vector3(point.square[0, 0], point.square[1, 1], point.square[2, 2])
        guard let inverse = (point.square + Matrix3(diagonal: damping * diagonal)).inverse else { return nil }
        inverses.append(inverse)
        let solved = inverse * point.right
        for (i, a) in point.columns.enumerated() {
          reduced.right[a.index] = reduced.right[a.index] - a.cross * solved
          let x = -(a.cross * inverse)
          for b in point.columns[i...] { reduced.add(a.index, b.index, x * b.cross.transpose) }
        }
      }
      return (reduced, inverses)
    }

    /// Decrease of the cost that the quadratic model predicts for a step: `x^T b`.
    func predictedGain(of step: Step) -> Double {
      var gain = 0.0
      for (x, b) in zip(step.states, system.right) { gain += x.dot(b) }
      for (x, point) in zip(step.points, points) { gain += x.dot(point.right) }
      return gain
    }

    /// Solves the damped equations; nil when they are not positive definite.
    func step(damping: Double) -> Step? {
      guard let (reduced, inverses) = reduced(damping: damping), let states = reduced.solved() else { return nil }
      let steps = zip(points, inverses).map { point, inverse in
        inverse * point.columns.reduce(point.right) { $0 - $1.cross.transpose * states[$1.index] }
      }
      return Step(states: states, points: steps)
    }
  }
}
