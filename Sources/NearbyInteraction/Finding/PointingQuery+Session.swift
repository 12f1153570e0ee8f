import Geometry
import PrecisionFinding

extension PointingQuery.Candidate {
  /// A peer as a session's object shows it: off the back camera's axis by its direction, else by its horizontal angle; nil when
  /// neither is known.
  public init?(_ object: NINearbyObject, named peer: String) {
    self.init(
      peer: peer, direction: object.direction.map { Vector3(Double($0.x), Double($0.y), Double($0.z)) },
      horizontalAngle: object.horizontalAngle.map { Double($0) }, distance: object.distance.map { Double($0) })
  }
}
