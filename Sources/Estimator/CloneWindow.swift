import Geometry
import CameraGeometry

/// Decides which pose leaves the window.
///
/// A slow hand gains nothing from many poses on one spot: the second newest goes when it added little parallax, so that
/// old poses, and with them the baseline, stay. Otherwise the oldest goes.
/// Source: Kottas, Wu, Roumeliotis, "Detecting and dealing with hovering maneuvers in vision-aided inertial navigation
/// systems", IROS 2013, doi:10.1109/IROS.2013.6696801.
struct CloneWindow {
  /// Most poses kept.
  var size: Int
  /// Parallax that makes a pose worth keeping, pixels.
  var keptParallax: Double

  /// Clones that were worth keeping when they were the newest.
  private var worthy: Set<Int> = []

  init(size: Int, keptParallax: Double) {
    self.size = size
    self.keptParallax = keptParallax
  }

  /// Judges the newest clone; returns its median parallax against the last worthy one, pixels, rotation removed.
  mutating func judge(
    _ newest: Clone?, in navigation: InertialNavigation, _ tracks: FeatureTracks, focalLength: Double
  ) -> Double? {
    let ids = Set(navigation.clones.map(\.id))
    worthy.formIntersection(ids)
    guard let newest else { return nil }
    guard let reference = navigation.clones.last(where: { worthy.contains($0.id) }) else {
      worthy.insert(newest.id)
      return nil
    }
    let turn = newest.worldFromCamera.rotation.inverse * reference.worldFromCamera.rotation
    let (parallax, common) = tracks.parallax(
      from: reference.id, to: newest.id, newFromOld: turn)
    let pixels = parallax.map { $0 * focalLength }
    // With half the features gone, the old view no longer stands for the new one.
    if pixels.map({ $0 >= keptParallax }) ?? true || 2 * common < tracks.living.count { worthy.insert(newest.id) }
    return pixels
  }

  /// Index of the clone to give up, or nil while the window has room.
  func surplus(of navigation: InertialNavigation) -> Int? {
    let clones = navigation.clones
    guard clones.count > size else { return nil }
    return worthy.contains(clones[clones.count - 2].id) ? 0 : clones.count - 2
  }

  /// The clone that landmarks are told from: the newest worthy one, the surplus aside.
  func anchorID(in navigation: InertialNavigation, surplus: Int?) -> Int? {
    let staying = navigation.clones.indices.filter { $0 != surplus }.map { navigation.clones[$0].id }
    return staying.last { worthy.contains($0) } ?? staying.last
  }
}
