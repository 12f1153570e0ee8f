import Estimator
import Geometry
import Ranging
import SensorData

/// Why an update says what it says: what is still possible, which gates it passed and failed, and what would help.
package struct Explanation: Sendable {
  /// What was said.
  package let update: NearbyUpdate
  /// Where the peer may be, likeliest first, at most `listed`; empty where there is no posterior.
  package let places: [Place]
  /// How many more places there are, and how much of the posterior all that are listed hold, 0...1.
  package let more: Int
  package let listedShare: Double
  /// The gates in the order in which outputs depend on them: the camera's, the posterior's where there is one, the signal's.
  package private(set) var gates: [Gate]
  /// The motion that the update's guidance asks for; nil where nothing is missing or no motion is asked for.
  package let manoeuvre: CandidateMotion?
  /// One that is expected to be done sooner; nil where there is none.
  package let better: CandidateMotion?
  /// What these motions are to reach.
  package let goal: ExcitationForecast.Goal
  /// Hypotheses alive; places when the peer is a state of the filter.
  package let hypotheses: Int
  /// Whether the peer is a state of the filter.
  package let isTracked: Bool
  /// Probability that the last range's sight was free.
  package let free: Double
  /// Probability that the peer isMoving.
  package let movingProbability: Double
  /// The link's noise as it is seen now; nil before there is a posterior.
  package let noise: RangeNoise?
  /// Ranges a second, over the last two seconds.
  package let rate: Double
  /// Ranges that came until then.
  package let ranges: Int
  /// Whether there was a trajectory.
  package let hasTrajectory: Bool
  /// What the trajectory waits for, where that is known; nil once it has begun.
  package private(set) var waitingFor: String?
  /// Why the camera is of no use; nil when it is.
  package let blindness: String?

  /// So many places are listed.
  static let listed = 8

  /// The same with what only a whole run knows.
  func told(_ sight: CameraHealth?, waitingFor: String?, _ configuration: FinderConfiguration) -> Explanation {
    var told = self
    told.waitingFor = waitingFor
    let camera = sight?.gates(at: update.timestamp, blindness: blindness, configuration) ?? []
    told.gates = camera + gates
    return told
  }
}

extension Explanation {
  /// Explains an update that has just been made.
  ///
  /// - Parameter filter: the trajectory at that moment; nil where there was none.
  init(
    _ update: NearbyUpdate, _ link: PeerLink, filter: (any NavigationFilter)?, bodyFromDevice: Pose,
    blindness: String?, _ configuration: FinderConfiguration
  ) {
    self.update = update
    self.blindness = blindness
    hypotheses = link.hypotheses
    isTracked = link.isTracked
    free = link.free
    movingProbability = link.movingProbability
    noise = link.noise
    ranges = link.rangesTaken + link.kept.count
    hasTrajectory = filter != nil
    let recent = Double(link.record.recent.count { update.timestamp.seconds(since: $0) <= 2 })
    rate = recent / 2
    goal = update.object.horizontalAngle == nil ? .angle : .convergence
    let signal = Self.signal(link, update, rate: rate, configuration)
    guard let filter, let belief = link.belief(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice)
    else {
      (places, more, listedShare, gates, manoeuvre, better) = ([], 0, 0, signal, nil, nil)
      return
    }
    let world = link.worldCovariance(of: belief, filter: filter)
    let readout = PublishableEstimate(belief, worldCovariance: world, configuration)
    let places = Place.places(of: belief)
    self.places = Array(places.prefix(Self.listed))
    more = max(places.count - Self.listed, 0)
    listedShare = self.places.reduce(0) { $0 + $1.share }
    gates = Self.judged(belief, readout, update, movingProbability: link.movingProbability, configuration) + signal
    let drift = max((world - belief.position.covariance).trace, 0)
    let forecast = ExcitationForecast(
      places: places, goal: goal,
      information: CandidateMotion.information(link.noise, rate: rate * link.record.clearness), doubt: belief.doubt,
      given: readout.distance.sigma * readout.distance.sigma + drift, configuration)
    (manoeuvre, better) = CandidateMotion.choices(
      asked: update.convergence.request, forecast, worldFromDevice: belief.worldFromDevice)
  }
}
