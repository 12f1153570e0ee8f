import Geometry

extension StartRefinement {
  /// Normal equations of states and points; the points are eliminated one by one.
  struct Linearisation: Sendable {
    /// A step of everything: states by block, points as (e1, e2, inverse distance).
    struct Step {
      var states: [Vector3]
      var points: [Vector3]
    }

    /// Equations of one point and the poses that saw it.
    struct Point: Sendable {
      var square = Matrix3.zero
      var right = Vector3.zero
      var cost = 0.0
      var sightCost = 0.0
      /// By pose: information between pose and point, and of the pose alone.
      var poses: [Pose] = []

      struct Pose: Sendable {
        var index: Int
        /// theta and p (rows) with the point (columns).
        var cross: (Matrix3, Matrix3)
        /// theta with theta, theta with p, p with p.
        var own: (Matrix3, Matrix3, Matrix3)
        var right: (Vector3, Vector3)
      }

      /// Adds a sight, weighed down by Huber's rule from `doubtful` sigmas; without a pose, to the point's equations alone.
      mutating func add(_ sight: StartPoint.LinearSight, pose: Int?, doubtful: Double) {
        let size = (sight.residual * sight.residual).sum().squareRoot()
        let weight = size <= doubtful ? 1 : doubtful / size
        sightCost += size <= doubtful ? size * size : 2 * doubtful * size - doubtful * doubtful
        func outer(_ a: (Vector3, Vector3), _ b: (Vector3, Vector3)) -> Matrix3 {
          weight * (Matrix3(outer: a.0, b.0) + Matrix3(outer: a.1, b.1))
        }
        func pulled(_ a: (Vector3, Vector3)) -> Vector3 {
          weight * (a.0 * sight.residual.x + a.1 * sight.residual.y)
        }
        square += outer(sight.point, sight.point)
        right += pulled(sight.point)
        guard let pose else { return }
        poses.append(
          Pose(
            index: pose, cross: (outer(sight.theta, sight.point), outer(sight.position, sight.point)),
            own: (
              outer(sight.theta, sight.theta), outer(sight.theta, sight.position), outer(sight.position, sight.position)
            ), right: (pulled(sight.theta), pulled(sight.position))))
      }
    }

    /// Of the states, without the sights.
    var system: BlockSystem
    /// Of the points.
    var points: [Point] = []
    /// The sights' part of the cost.
    var sightCost = 0.0

    init(size: Int) { system = BlockSystem(size: size) }

    var cost: Double { system.cost }

    /// The states' equations with the points eliminated, and each point's inverse; nil when a point is undetermined.
    func reduced(damping: Double) -> (system: BlockSystem, inverses: [Matrix3])? {
      var reduced = system
      var inverses: [Matrix3] = []
      for point in points {
        for pose in point.poses {
          let theta = 3 * pose.index
          reduced.add(theta, theta, pose.own.0)
          reduced.add(theta, theta + 1, pose.own.1)
          reduced.add(theta + 1, theta + 1, pose.own.2)
          reduced.right[theta] += pose.right.0
          reduced.right[theta + 1] += pose.right.1
        }
      }
      reduced.damp(damping)
      for point in points {
        let diagonal = Vector3(point.square[0, 0], point.square[1, 1], point.square[2, 2])
        guard let inverse = (point.square + Matrix3(diagonal: damping * diagonal)).inverse else { return nil }
        inverses.append(inverse)
        let solved = inverse * point.right
        for (i, a) in point.poses.enumerated() {
          let theta = 3 * a.index
          reduced.right[theta] = reduced.right[theta] - a.cross.0 * solved
          reduced.right[theta + 1] = reduced.right[theta + 1] - a.cross.1 * solved
          let (x, y) = (-(a.cross.0 * inverse), -(a.cross.1 * inverse))
          for b in point.poses[i...] {
            let (left, right) = (b.cross.0.transpose, b.cross.1.transpose)
            reduced.add(theta, 3 * b.index, x * left)
            reduced.add(theta, 3 * b.index + 1, x * right)
            reduced.add(theta + 1, 3 * b.index + 1, y * right)
            if b.index != a.index { reduced.add(theta + 1, 3 * b.index, y * left) }
          }
        }
      }
      return (reduced, inverses)
    }

    /// The step that the equations ask for; nil when they are not positive definite.
    func step(damping: Double) -> Step? {
      guard let (reduced, inverses) = reduced(damping: damping), let states = reduced.solved() else { return nil }
      let steps = zip(points, inverses).map { point, inverse in
        inverse
          * point.poses.reduce(point.right) { right, pose in
            right - pose.cross.0.transpose * states[3 * pose.index]
              - pose.cross.1.transpose * states[3 * pose.index + 1]
          }
      }
      return Step(states: states, points: steps)
    }
  }
}
