import Datasets
import Evaluation
import Geometry
import PrecisionFinding
import RunResults
import SensorData
import Smoothing

/// A solver that is judged beside the finder, on its path and ranges.
enum OtherSolver {
  /// Robust batch least squares of a static peer (`PeerLeastSquares`).
  case leastSquares
  /// The answers in a file.
  case table(SolutionTable, name: String)

  /// Its name in rows.
  var name: String {
    switch self {
    case .leastSquares: "least squares"
    case .table(_, let name): name
    }
  }

  /// Its answers by peer, in time order.
  func answers(_ path: SolverPath, _ ranges: [RangeMeasurement]) -> [String: [JudgedUpdate]] {
    switch self {
    case .leastSquares:
      Dictionary(grouping: ranges, by: \.peer).mapValues {
        path.leastSquares($0.sorted { $0.timestamp < $1.timestamp })
      }
    case .table(let table, _):
      // Of a solver that gives angles, a place without one is its silence.
      Dictionary(grouping: table.rows.filter { $0.peer != nil }, by: { $0.peer! }).mapValues { rows in
        table.rows.contains { $0.angle != nil } ? rows.map(JudgedUpdate.init) : path.seen(rows)
      }
    }
  }
}

/// The finder's own path, forward in time, as a solver beside it would get it.
struct SolverPath {
  /// When each world began; the first one at the beginning.
  var worlds: [Timestamp] = []
  private let rig: RigCalibration
  private var poses: [GroundTruthState] = []

  /// No path yet.
  init(_ rig: RigCalibration) { self.rig = rig }

  /// The path of a finished run.
  ///
  /// - Throws: `DatasetError`.
  init(_ rig: RigCalibration, run: RunFolder) throws {
    self.init(rig)
    let reader = try PoseReader(folder: run.path)
    while let pose = try reader.next() {
      if poses.isEmpty || pose.beginsWorld { worlds.append(pose.timestamp) }
      poses.append(GroundTruthState(timestamp: pose.timestamp, worldFromBody: pose.worldFromBody))
    }
  }

  /// Records a pose.
  mutating func record(_ output: FinderOutput) {
    guard case .pose(let time, let worldFromBody, _) = output else { return }
    poses.append(GroundTruthState(timestamp: time, worldFromBody: worldFromBody))
  }

  /// Seconds after which the batch is solved again, at least; for long ones a share of what they span.
  private static let again = (seconds: 1.0, share: 0.05)
  /// Most ranges in a batch: evenly the others are left out.
  private static let most = 1500
  /// 1-sigma of a range where nobody states one, metres.
  private static let usualSigma = 0.1

  /// Places of one peer seen from the path: distance and angle, with intervals where there are the places' 1-sigmas.
  fileprivate func seen(_ rows: [SolutionTable.Row]) -> [JudgedUpdate] {
    let path = TruthTrajectory(poses)
    return rows.map { row in
      guard let position = row.position, let pose = path.worldFromBody(at: row.timestamp) else {
        return JudgedUpdate(row)
      }
      var row = row
      let deviation = row.positionDeviation
      let covariance = Matrix3(diagonal: deviation.map { $0 * $0 } ?? .zero)
      let seen = PeerLeastSquares.Solution(position: position, covariance: covariance).seen(
        from: pose * rig.bodyFromDevice)
      row.angle = seen.angle
      row.angleDeviation = deviation == nil ? row.angleDeviation : seen.angleSigma
      row.distanceDeviation = row.distance == nil && deviation != nil ? seen.distanceSigma : row.distanceDeviation
      row.distance = row.distance ?? seen.distance
      return JudgedUpdate(row)
    }
  }

  /// An answer at each range of one peer, which are in time order: the last batch seen from the present pose.
  fileprivate func leastSquares(_ ranges: [RangeMeasurement]) -> [JudgedUpdate] {
    let path = TruthTrajectory(poses)
    var rows: [PeerLeastSquares.Row] = [], world = 0
    var solution: PeerLeastSquares.Solution?, (began, solved) = (ranges[0].timestamp, Timestamp?.none)
    return ranges.map { range in
      let now = worlds.dropFirst().count { $0 <= range.timestamp }
      if now != world { (rows, solution, solved, began, world) = ([], nil, nil, range.timestamp, now) }
      guard let pose = path.worldFromBody(at: range.timestamp), let antenna = rig.radio?.position(of: range.antenna)
      else { return JudgedUpdate(timestamp: range.timestamp, status: "unknown") }
      let sigma = max(range.standardDeviation ?? rig.radio?.rangeNoise ?? Self.usualSigma, 1e-3)
      rows.append(.init(antenna: pose * antenna, range: range.range, sigma: sigma))
      let wait = max(Self.again.seconds, Self.again.share * range.timestamp.seconds(since: began))
      if solved.map({ range.timestamp.seconds(since: $0) >= wait }) ?? true {
        let step = max(1, Double(rows.count) / Double(Self.most))
        let batch = stride(from: 0, to: Double(rows.count), by: step).map { rows[Int($0)] }
        solution = PeerLeastSquares(batch, biasSigma: rig.radio?.rangeBias.standardDeviation).solution() ?? solution
        if solution != nil { solved = range.timestamp }
      }
      guard let solution else { return JudgedUpdate(timestamp: range.timestamp, status: "unknown") }
      let worldFromDevice = pose * rig.bodyFromDevice
      let seen = solution.seen(from: worldFromDevice)
      let half = NinetyPercent.halfWidthOnCircle(seen.angleSigma)
      return JudgedUpdate(
        timestamp: range.timestamp, distance: seen.distance, distanceStandardDeviation: seen.distanceSigma,
        horizontalAngle: seen.angle, horizontalAngleInterval: (seen.angle - half)...(seen.angle + half),
        verticalDirectionEstimate: TrueView(worldFromDevice: worldFromDevice, peer: solution.position).level.rawValue,
        worldPosition: solution.position, positionCovariance: solution.covariance)
    }
  }
}

extension JudgedUpdate {
  /// An answer of a table; one with a 1-sigma and without ends has the interval of a normal distribution.
  fileprivate init(_ row: SolutionTable.Row) {
    var interval: ClosedRange<Double>?
    if let low = row.angleLow, let high = row.angleHigh {
      interval = low <= high ? low...high : nil
    } else if let angle = row.angle, let sigma = row.angleDeviation {
      let half = NinetyPercent.halfWidthOnCircle(sigma)
      interval = (angle - half)...(angle + half)
    }
    self.init(
      timestamp: row.timestamp, distance: row.distance, distanceStandardDeviation: row.distanceDeviation,
      horizontalAngle: row.angle, horizontalAngleInterval: row.angle == nil ? nil : interval,
      verticalDirectionEstimate: row.level ?? "unknown", worldPosition: row.position,
      positionCovariance: row.positionDeviation.map { Matrix3(diagonal: $0 * $0) },
      status: row.status ?? "notConverged")
  }
}
