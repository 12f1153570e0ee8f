import CameraGeometry
import Geometry

/// Sliding window of clones: chooses the clone to marginalise.
///
/// While the device hovers, many clones at one position add nothing. The second newest is removed if it added little
/// parallax, so that old clones, and with them the baseline, remain. Otherwise the oldest is removed.
/// Source: Kottas, Wu, Roumeliotis, "Detecting and dealing with hovering maneuvers in vision-aided inertial navigation
/// systems", IROS 2013, doi:10.1109/IROS.2013.6696801.
struct CloneWindow {
  /// Most clones kept.
  var size: Int
  /// Parallax that makes a clone a keyframe, pixels.
  var keptParallax: Double

  /// Clones that were keyframes when they were the newest.
  private var keyframeIDs: Set<Int> = []

  init(size: Int, keptParallax: Double) {
    self.size = size
    self.keptParallax = keptParallax
  }

  /// Decides whether the newest clone is a keyframe. Returns its median rotation-compensated parallax against the last
  /// keyframe, pixels.
  mutating func evaluate(
    _ newest: Clone?, in navigation: InertialNavigation, _ tracks: FeatureTracks, focalLength: Double
  ) -> Double? {
    let ids = Set(navigation.clones.map(\.id))
    keyframeIDs.formIntersection(ids)
    guard let newest else { return nil }
    guard let reference = navigation.clones.last(where: { keyframeIDs.contains($0.id) }) else {
      keyframeIDs.insert(newest.id)
      return nil
    }
    let rotation = newest.worldFromCamera.rotation.inverse * reference.worldFromCamera.rotation
    let (parallax, common) = tracks.parallax(
      from: reference.id, to: newest.id, newFromOld: rotation)
    let pixels = parallax.map { $0 * focalLength }
    // With half the features lost, the reference no longer covers the view.
    if pixels.map({ $0 >= keptParallax }) ?? true || 2 * common < tracks.living.count { keyframeIDs.insert(newest.id) }
    return pixels
  }

  /// Index of the clone to marginalise, or nil while the window is not full.
  func surplus(of navigation: InertialNavigation) -> Int? {
    let clones = navigation.clones
    guard clones.count > size else { return nil }
    return keyframeIDs.contains(clones[clones.count - 2].id) ? 0 : clones.count - 2
  }

  /// The clone that anchors landmarks: the newest keyframe other than the surplus clone.
  func anchorID(in navigation: InertialNavigation, surplus: Int?) -> Int? {
    let staying = navigation.clones.indices.filter { $0 != surplus }.map { navigation.clones[$0].id }
    return staying.last { keyframeIDs.contains($0) } ?? staying.last
  }
}
