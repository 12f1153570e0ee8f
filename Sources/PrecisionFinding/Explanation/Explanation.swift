import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// Explains an update: the modes that are left, the gates it passed and failed, and the motion that would help.
package struct Explanation: Sendable {
  /// The update.
  package let update: NearbyUpdate
  /// Modes of the peer, likeliest first, at most `listed`; empty where there is no posterior.
  package let modes: [PosteriorMode]
  /// Number of further modes, and the probability of all that are listed, 0...1.
  package let more: Int
  package let listedProbability: Double
  /// The gates in the order in which outputs depend on them: the camera's, the premises' and the radio's, the posterior's
  /// where there is one, the signal's.
  package private(set) var gates: [PublicationGate]
  /// The motion that the update's guidance requests; nil where nothing is missing or no motion is requested.
  package let requestedMotion: CandidateMotion?
  /// A motion that is expected to reach the goal sooner; nil where there is none.
  package let better: CandidateMotion?
  /// The goal of these motions.
  package let goal: ExcitationForecast.Goal
  /// Hypotheses alive.
  package let hypotheses: Int
  /// LOS probability of the last range.
  package let losProbability: Double
  /// Probability that the peer is moving.
  package let movingProbability: Double
  /// The link's current noise model; nil before there is a posterior.
  package let noise: RangeNoise?
  /// Ranges a second, over the last two seconds.
  package let rate: Double
  /// Ranges received until then.
  package let ranges: Int
  /// Whether there was a trajectory.
  package let hasTrajectory: Bool
  /// What the trajectory waits for, where that is known; nil once it has started.
  package private(set) var waitingFor: String?
  /// Why the camera is not usable; nil when it is.
  package let blindness: String?

  /// Most modes that are listed.
  static let listed = 8

  /// The explanation with what only a whole run knows.
  func completed(
    _ cameraHealth: CameraHealth?, waitingFor: String?, _ rules: PublicationRules
  ) -> Explanation {
    var completed = self
    completed.waitingFor = waitingFor
    let camera = cameraHealth?.gates(at: update.timestamp, blindness: blindness, rules) ?? []
    completed.gates = camera + gates
    return completed
  }
}

extension Explanation {
  /// Explains an update that has just been made.
  ///
  /// - Parameters:
  ///   - filter: the trajectory at that moment; nil where there was none.
  ///   - objections: what stood against the link.
  init(
    _ update: NearbyUpdate, _ link: PeerLink, filter: (any NavigationFilter)?, bodyFromDevice: Pose,
    blindness: String?, _ objections: LinkObjections, _ rules: PublicationRules
  ) {
    self.update = update
    self.blindness = blindness
    hypotheses = link.hypotheses
    losProbability = link.losProbability
    movingProbability = link.movingProbability
    noise = link.noise
    ranges = link.rangesTaken + link.kept.count
    hasTrajectory = filter != nil
    let recent = Double(link.record.recent.count { update.timestamp.seconds(since: $0) <= 2 })
    rate = recent / 2
    goal = update.object.horizontalAngle == nil ? .angle : .convergence
    let linkGates = objections.gates(rules)
    let signalGates = Self.signalGates(link, update, rate: rate, rules)
    guard let filter,
      let view = link.posteriorView(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice)
    else {
      (modes, more, listedProbability, gates, requestedMotion, better) = ([], 0, 0, linkGates + signalGates, nil, nil)
      return
    }
    let world = link.worldCovariance(of: view, filter: filter)
    let estimate = PublishableEstimate(view, worldCovariance: world, rules)
    let modes = PosteriorMode.modes(of: view)
    self.modes = Array(modes.prefix(Self.listed))
    more = max(modes.count - Self.listed, 0)
    listedProbability = self.modes.reduce(0) { $0 + $1.probability }
    gates =
      linkGates + Self.posteriorGates(view, estimate, update, movingProbability: link.movingProbability, rules)
      + signalGates
    let drift = max((world - view.position.covariance).trace, 0)
    let forecast = ExcitationForecast(
      modes: modes, goal: goal,
      information: CandidateMotion.information(link.noise, rate: rate * link.record.losFraction),
      contradictionProbability: view.contradictionProbability,
      fixedVariance: estimate.distance.sigma * estimate.distance.sigma + drift, rules)
    (requestedMotion, better) = CandidateMotion.choices(
      asked: update.convergence.request, forecast, worldFromDevice: view.worldFromDevice)
  }
}

extension Explanation {
  /// The gates of the posterior.
  static func posteriorGates(
    _ view: PosteriorView, _ estimate: PublishableEstimate, _ update: NearbyUpdate, movingProbability: Double,
    _ rules: PublicationRules
  ) -> [PublicationGate] {
    let marginal = view.horizontalAngle
    let horizontal = view.horizontalDistance
    // Hysteresis: a named class stays until it falls below the lower limit.
    let isNamed = [.same, .above, .below].contains(update.object.verticalDirectionEstimate)
    let far = PublicationGate(rules.position(at: estimate.distance.mean), estimate.positionFarOff ?? 0)
    return [
      PublicationGate(rules.angleHalfWidth, 0.5 * (marginal.quantile(0.95) - marginal.quantile(0.05))),
      PublicationGate(rules.beyond45, marginal.mass(beyond: .pi / 4)),
      PublicationGate(rules.contradiction, view.contradictionProbability),
      motionGate(movingProbability, update, rules),
      PublicationGate(rules.horizontalDistance(sigma: horizontal.sigma), horizontal.mean),
      PublicationGate(rules.cone, view.direction.cone),
      PublicationGate(
        rules.level(isNamed: isNamed), max(estimate.vertical.above, estimate.vertical.below, estimate.vertical.same)),
      PublicationGate(
        rules.positionSigma(at: estimate.distance.mean), estimate.position.covariance.trace.squareRoot()),
      estimate.positionFarOff == nil ? far.notAsked("not asked: the spread is too wide anyhow") : far,
      PublicationGate(rules.beyond20, estimate.probabilityBeyond20Degrees),
    ]
  }

  /// The probability of motion withholds the angle through the widths and probabilities of where the peer may have
  /// gone. A peer known to move may well have an angle.
  private static func motionGate(
    _ movingProbability: Double, _ update: NearbyUpdate, _ rules: PublicationRules
  ) -> PublicationGate {
    let gate = PublicationGate(rules.moving, movingProbability)
    guard gate.outcome == .failed, update.object.horizontalAngle != nil else { return gate }
    return gate.notAsked("where it may have gone is within the limits", keepsValue: true)
  }

  /// The gates of the signal. They withhold nothing by themselves.
  static func signalGates(
    _ link: PeerLink, _ update: NearbyUpdate, rate: Double, _ rules: PublicationRules
  ) -> [PublicationGate] {
    let received = link.record.firstRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let silence = link.record.lastNewRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let inconsistent = link.bank.isAoARefuted ? 1 : link.bank.aoaProbability
    let often = PublicationGate(rules.rate, rate)
    var gates = [
      PublicationGate(rules.silence, max(silence, 0)),
      received < 2 ? often.notAsked("received for less than two seconds", keepsValue: true) : often,
      PublicationGate(rules.losFraction, link.record.losFraction),
    ]
    if inconsistent > 0 { gates.append(PublicationGate(rules.aoaProbability, inconsistent)) }
    if case .number(let power) = update.details["power"] { gates.append(PublicationGate(rules.power, power)) }
    return gates
  }
}

/// Observes why an update has its values. It changes nothing.
package protocol ExplanationObserver: AnyObject {
  /// Whether the update of `peer` at `time` is of interest.
  func wants(_ peer: String, at time: Timestamp) -> Bool
  /// Receives an explanation.
  func observe(_ explanation: Explanation)
}

/// Keeps the explanation of a peer's last update of a moment, with what only a whole run knows: the camera's frames,
/// and what the trajectory waits for. It changes no result.
package final class LastExplanation: ExplanationObserver, FrameObserver {
  /// Whose updates.
  package let peer: String
  private let moment: Timestamp
  private unowned let finder: PrecisionFinder
  private var cameraHealth: CameraHealth?
  /// The last one; nil before there is any.
  package private(set) var explanation: Explanation?

  /// Observes `finder` from now on. The finder must live as long as it is fed.
  package init(of peer: String, at moment: Timestamp, in finder: PrecisionFinder) {
    self.peer = peer
    self.moment = moment
    self.finder = finder
    finder.attach(self as any ExplanationObserver)
    finder.attach(self as any FrameObserver)
  }

  package func wants(_ peer: String, at time: Timestamp) -> Bool { peer == self.peer && time == moment }

  package func observe(_ explanation: Explanation) {
    self.explanation = explanation.completed(
      cameraHealth, waitingFor: finder.trajectory.waitingFor, finder.builder.rules)
  }

  package func didReceive(_ sample: IMUSample) {}

  package func didProcess(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?) {
    cameraHealth = CameraHealth(frame)
  }
}

/// Figures of the camera's frames up to a moment: the gates of the lighting.
package struct CameraHealth: Equatable, Sendable {
  /// Mean luma of the newest frame, 0...1; nil where the recording has none.
  package private(set) var luma: Double?
  /// Features in it.
  package private(set) var features = 0
  /// When it was taken.
  package private(set) var newest: Timestamp

  /// The figures of a frame.
  package init(_ frame: CameraFrame) {
    (luma, features, newest) = (frame.meanLuma, frame.features.count, frame.timestamp)
  }

  /// The gates at `time`. A failure shorter than `darkDelay` is no reason yet, and fails nothing.
  ///
  /// - Parameter blindness: why the finder did not use the camera; nil where it did.
  package func gates(at time: Timestamp, blindness: String?, _ rules: PublicationRules) -> [PublicationGate] {
    var gates = [
      PublicationGate(rules.features, Double(features)),
      PublicationGate(rules.imageAge, max(time.seconds(since: newest), 0)),
    ]
    if let luma {
      let gate = PublicationGate(rules.luma, luma)
      // The number of features decides, not the brightness.
      let isEnough = gates[0].outcome == .passed && gate.outcome == .failed
      gates.insert(isEnough ? gate.notAsked("enough features all the same", keepsValue: true) : gate, at: 0)
    }
    guard blindness == nil else { return gates }
    return gates.map { $0.outcome == .failed ? $0.notAsked("not for long enough to count", keepsValue: true) : $0 }
  }
}

/// One mode of the posterior: hypotheses whose directions are within a cone of each other.
package struct PosteriorMode: Equatable, Sendable {
  /// Half the angle of the cone, radians.
  static let cone = Double.pi / 9
  /// Modes below this probability are left out.
  static let smallest = 1e-4

  /// Probability of the mode, 0...1.
  package let probability: Double
  /// Gaussians in it.
  package let count: Int
  /// Unit vector to it from the device, world.
  package let direction: Vector3
  /// Metres from the device.
  package let distance: Double
  /// Horizontal angle from straight ahead, positive right, and elevation above the device, radians.
  package let horizontalAngle, elevation: Double
  /// 1-sigma of the direction within the mode, sideways and upwards, radians.
  package let sideways, upwards: Double

  /// The modes of a posterior, likeliest first: the heaviest Gaussian collects those within the cone about it, then the
  /// heaviest of the rest.
  package static func modes(of view: PosteriorView) -> [PosteriorMode] {
    let origin = view.worldFromDevice.translation
    let sorted = view.gaussiansWithImages.sorted { $0.weight > $1.weight }
    var rest = sorted.map { (gaussian: $0, direction: ($0.position - origin).normalized) }
    var modes: [PosteriorMode] = []
    while let first = rest.first {
      let members = rest.filter { $0.direction.dot(first.direction) >= cos(cone) }
      rest.removeAll { $0.direction.dot(first.direction) >= cos(cone) }
      let mode = PosteriorMode(members.map(\.gaussian), worldFromDevice: view.worldFromDevice)
      if mode.probability >= smallest { modes.append(mode) }
    }
    return modes.sorted { $0.probability > $1.probability }
  }

  private init(_ members: [PositionGaussian], worldFromDevice: Pose) {
    let origin = worldFromDevice.translation
    let probability = members.reduce(0) { $0 + $1.weight }
    self.probability = probability
    count = members.count
    var sum = Vector3.zero
    var length = 0.0
    for g in members {
      let d = g.position - origin
      sum += g.weight * d.normalized
      length += g.weight * d.norm
    }
    let u = sum.normalized
    direction = u
    distance = length / max(probability, 1e-300)
    horizontalAngle = HorizontalAngle.of(u, worldFromDevice: worldFromDevice.rotation)
    elevation = asin(min(max(u.z, -1), 1))
    let (across, up) = PosteriorMode.axes(u)
    func spread(_ axis: Vector3) -> Double {
      let variance = members.reduce(0.0) { sum, g in
        let d = g.position - origin
        let r = max(d.norm, 1e-3)
        let off = d.dot(axis) / r
        return sum + g.weight * (off * off + max(g.covariance.form(axis, axis), 0) / (r * r))
      }
      return (variance / max(probability, 1e-300)).squareRoot()
    }
    (sideways, upwards) = (spread(across), spread(up))
  }

  /// 1-sigma along an axis, of a unit direction.
  func width(along axis: Vector3) -> Double {
    let (across, up) = PosteriorMode.axes(direction)
    let (a, b) = (sideways * axis.dot(across), upwards * axis.dot(up))
    return (a * a + b * b).squareRoot()
  }

  /// The horizontal and the steep axis across a direction.
  static func axes(_ u: Vector3) -> (across: Vector3, up: Vector3) {
    let level = Vector3(0, 0, 1).cross(u)
    let across = level.norm > 1e-6 ? level.normalized : Vector3(1, 0, 0)
    return (across, u.cross(across))
  }
}
