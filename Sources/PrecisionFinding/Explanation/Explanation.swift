import Estimator
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
  /// Hypotheses alive; modes when the peer is a state of the filter.
  package let hypotheses: Int
  /// Whether the peer is a state of the filter.
  package let isTracked: Bool
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
    isTracked = link.isTracked
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
