import CameraGeometry
import Geometry
import SensorData
import Testing

@Suite struct FeatureTracksTests {
  static let lens = LensModel(CameraCalibration(fx: 400, fy: 400, cx: 300, cy: 200, width: 600, height: 400))

  static func features(_ ids: [Int64], u: Double = 310) -> [FeatureObservation] {
    ids.map { FeatureObservation(featureID: $0, u: u + Double($0), v: 200) }
  }

  @Test func tracksStartEndAndReturnTheirObservations() {
    var tracks = FeatureTracks()
    let none = tracks.observe(Self.features([1, 3, 5]), lens: Self.lens, poseID: 0)
    let first = tracks.observe(Self.features([1, 2, 5]), lens: Self.lens, poseID: 1)
    #expect(none.isEmpty && first.map(\.featureID) == [3])
    #expect(tracks.living.map(\.featureID) == [1, 2, 5] && tracks.living.map(\.observations.count) == [2, 1, 2])

    // A frame without a pose keeps the tracks alive without an observation.
    _ = tracks.observe(Self.features([1, 2, 5]), lens: Self.lens, poseID: nil)
    #expect(tracks.living.map(\.observations.count) == [2, 1, 2])

    let removed = tracks.removeUnused(seenFrom: 0)
    #expect(removed.map(\.featureID) == [1, 5] && removed.allSatisfy { $0.observations.map(\.poseID) == [0, 1] })
    #expect(tracks.living.map(\.unused.count) == [0, 1, 0] && tracks.living.map(\.observations.count) == [2, 1, 2])
    #expect(tracks.isAlive(2) && !tracks.isAlive(3) && !tracks.isAlive(6))
    let all = tracks.observe([], lens: Self.lens, poseID: 2)
    #expect(all.map(\.featureID) == [1, 2, 5] && tracks.living.isEmpty)
    #expect(all.map(\.observations.count) == [0, 1, 0])
  }

  /// An observation is returned once, by whichever method; forgetting poses does not return it again.
  @Test func noObservationIsUsedTwice() {
    var tracks = FeatureTracks()
    for pose in 0..<3 { _ = tracks.observe(Self.features([1, 2]), lens: Self.lens, poseID: pose) }
    let first = tracks.removeUnused(featureIDs: [2, 7])
    #expect(first.map(\.featureID) == [2] && first[0].observations.map(\.poseID) == [0, 1, 2])
    tracks.forget(poseID: 1)
    tracks.forget(poseID: 9)
    _ = tracks.observe(Self.features([1, 2]), lens: Self.lens, poseID: 3)
    let second = tracks.removeUnused(featureIDs: [2])
    #expect(second.map { $0.observations.map(\.poseID) } == [[3]])
    #expect(tracks.removeUnused(featureIDs: [2]).isEmpty)
    #expect(tracks.removeLongest(2, fewest: 1).map { $0.observations.map(\.poseID) } == [[0, 2, 3]])
  }

  @Test func theLongestAreRemovedFirst() {
    var tracks = FeatureTracks()
    _ = tracks.observe(Self.features([4, 7]), lens: Self.lens, poseID: 0)
    _ = tracks.observe(Self.features([2, 4, 7]), lens: Self.lens, poseID: 1)
    _ = tracks.observe(Self.features([1, 2, 4, 7]), lens: Self.lens, poseID: 2)
    tracks.forget(poseID: 0)
    let removed = tracks.removeLongest(2, fewest: 2)
    #expect(removed.map(\.featureID) == [2, 4])
    let short = tracks.removeLongest(5, fewest: 2)
    #expect(short.map(\.featureID) == [7])
    let no = tracks.removeLongest(-1, fewest: 0)
    #expect(no.isEmpty)
  }

  /// Pure rotation is no parallax; translation is.
  @Test func parallaxExcludesRotation() throws {
    var tracks = FeatureTracks()
    let points = [Vector3(0.2, 0, 4), Vector3(-0.5, 0.3, 4), Vector3(0.4, -0.2, 4)]
    let rotation = Rotation.exp(Vector3(0.02, 0.05, 0.1))
    func frame(_ cameraFromWorld: (Vector3) -> Vector3) -> [FeatureObservation] {
      points.enumerated().map { id, point in
        let pixel = Self.lens.project(cameraFromWorld(point))!.pixel
        return FeatureObservation(featureID: Int64(id), u: pixel.x, v: pixel.y)
      }
    }
    _ = tracks.observe(frame { $0 }, lens: Self.lens, poseID: 0)
    _ = tracks.observe(frame { rotation * $0 }, lens: Self.lens, poseID: 1)
    _ = tracks.observe(frame { rotation * ($0 - Vector3(0.04, 0, 0)) }, lens: Self.lens, poseID: 2)
    let parallax = tracks.parallax(from: 0, to: 2, newFromOld: rotation)
    let median = try #require(parallax.median)
    #expect(parallax.count == 3 && abs(median - 0.01) < 5e-4)
    var only = FeatureTracks()
    _ = only.observe(frame { $0 }, lens: Self.lens, poseID: 0)
    _ = only.observe(frame { rotation * $0 }, lens: Self.lens, poseID: 1)
    #expect(try #require(only.parallax(from: 0, to: 1, newFromOld: rotation).median) < 1e-9)
    #expect(only.parallax(from: 5, to: 1, newFromOld: rotation).median == nil)
  }

  @Test func medianDisparity() throws {
    let old = Self.features([1, 2, 3, 9]), new = Self.features([2, 3, 4, 9], u: 313)
    let found = try #require(Disparity.median(from: old, to: new))
    #expect(found.pixels == 3 && found.count == 3)
    #expect(Disparity.median(from: old, to: []) == nil)
  }
}
