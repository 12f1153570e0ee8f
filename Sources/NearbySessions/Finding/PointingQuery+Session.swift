import Geometry
import PrecisionFinding

extension PointingQuery.Candidate {
  /// A candidate from a session's object. Its angle off the back camera's axis comes from the direction, else from the
  /// horizontal angle; nil when neither is known.
  public init?(_ object: NINearbyObject, named peer: String) {
    self.init(
      peer: peer, direction: object.direction.map { Vector3(Double($0.x), Double($0.y), Double($0.z)) },
      horizontalAngle: object.horizontalAngle.map { Double($0) }, distance: object.distance.map { Double($0) })
  }
}
