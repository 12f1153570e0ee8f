import Geometry

extension InitializationRefinement {
  /// Normal equations of states and points; the points are eliminated one by one.
  struct Linearisation: Sendable {
    /// A step of everything: states by block, points as (e1, e2, inverse distance).
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
      /// What the point shares with states: a state's block (rows) and the point (columns).
      var columns: [(index: Int, cross: Matrix3)] = []

      /// Adds a sight, weighed down by Huber's rule from `doubtful` sigmas; returns its weight.
      mutating func add(_ sight: InitializationPoint.LinearObservation, doubtful: Double) -> Double {
        let size = (sight.residual * sight.residual).sum().squareRoot()
        let weight = size <= doubtful ? 1 : doubtful / size
        observationCost += size <= doubtful ? size * size : 2 * doubtful * size - doubtful * doubtful
        let (a, b) = (sight.rows.0.point, sight.rows.1.point)
        square += weight * (Matrix3(outer: a, a) + Matrix3(outer: b, b))
        right += weight * (a * sight.residual.x + b * sight.residual.y)
        return weight
      }

      /// Ties a sight to the states that it depends on, each by its block and the two rows of the Jacobian.
      mutating func tie(
        _ sight: InitializationPoint.LinearObservation, weight: Double, to blocks: [(index: Int, rows: (Vector3, Vector3))],
        _ system: inout BlockSystem
      ) {
        func outer(_ a: (Vector3, Vector3), _ b: (Vector3, Vector3)) -> Matrix3 {
          weight * (Matrix3(outer: a.0, b.0) + Matrix3(outer: a.1, b.1))
        }
        let point = (sight.rows.0.point, sight.rows.1.point)
        for (i, a) in blocks.enumerated() {
          for b in blocks[i...] { system.add(a.index, b.index, outer(a.rows, b.rows)) }
          system.right[a.index] += weight * (a.rows.0 * sight.residual.x + a.rows.1 * sight.residual.y)
          let cross = outer(a.rows, point)
          if let known = columns.firstIndex(where: { $0.index == a.index }) {
            columns[known].cross += cross
          } else {
            columns.append((a.index, cross))
          }
        }
      }
    }

    /// Of the states, as if the points were known.
    var system: BlockSystem
    /// Of the points.
    var points: [Point] = []
    /// The sights' part of the cost.
    var observationCost = 0.0

    init(size: Int) { system = BlockSystem(size: size) }

    var cost: Double { system.cost }

    /// The states' equations with the points eliminated, and each point's inverse; nil when a point is undetermined.
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

    /// The step that the equations ask for; nil when they are not positive definite.
    func step(damping: Double) -> Step? {
      guard let (reduced, inverses) = reduced(damping: damping), let states = reduced.solved() else { return nil }
      let steps = zip(points, inverses).map { point, inverse in
        inverse * point.columns.reduce(point.right) { $0 - $1.cross.transpose * states[$1.index] }
      }
      return Step(states: states, points: steps)
    }
  }
}
