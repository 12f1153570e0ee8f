import PrecisionFinding
import SensorData
import Testing

@Suite struct CameraHealthMonitorTests {
  static func frame(_ seconds: Double, features: Int, luma: Double?) -> CameraFrame {
    CameraFrame(
      timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: seconds),
      features: (0..<features).map { FeatureObservation(featureID: Int64($0), u: 0, v: 0) }, meanLuma: luma)
  }
  static func at(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: 0).advanced(bySeconds: seconds) }

  @Test func itIsBlindOnlyAfterTheDelay() {
    var watch = CameraHealthMonitor(FinderConfiguration())
    #expect(watch.isBlind(at: Self.at(0)) == nil)
    watch.update(Self.frame(0, features: 50, luma: 0.5))
    #expect(watch.isBlind(at: Self.at(0.4)) == false && watch.cause == nil && watch.features == 50)
    watch.update(Self.frame(0.1, features: 3, luma: 0.01))
    #expect(watch.cause == "dark" && watch.isBlind(at: Self.at(0.4)) == false)
    #expect(watch.isBlind(at: Self.at(0.6)) == true && watch.word(at: Self.at(0.6)) == "dark")
    watch.update(Self.frame(0.7, features: 50, luma: 0.5))
    #expect(watch.isBlind(at: Self.at(0.7)) == false && watch.cause == nil)
  }

  @Test func fewFeaturesBlindEvenWhereTheLightIsUnknown() {
    var watch = CameraHealthMonitor(FinderConfiguration())
    watch.update(Self.frame(0, features: 7, luma: nil))
    #expect(watch.cause == "fewFeatures" && watch.isBlind(at: Self.at(0.3)) == false)
    #expect(watch.isBlind(at: Self.at(0.6)) == true)
    watch.update(Self.frame(0.6, features: 8, luma: nil))
    #expect(watch.isBlind(at: Self.at(0.6)) == false)
  }

  /// Whoever tracks in the dusk is not told that it is dark: `mean_luma` 0.01 beside all tracks once asked for light.
  @Test func tracksDecideNotLight() {
    var watch = CameraHealthMonitor(FinderConfiguration())
    for k in 0...40 {
      watch.update(Self.frame(0.05 * Double(k), features: 50, luma: 0.01))
      #expect(watch.cause == nil && watch.isBlind(at: Self.at(0.05 * Double(k))) == false)
    }
  }

  /// Few tracks are named by who looked, else by the light; a blank wall in the dark is darkness.
  @Test(arguments: [
    (ViewCondition?.none, 0.01, "dark"), (nil, 0.5, "fewFeatures"), (.covered, 0.01, "covered"), (.blank, 0.01, "dark"),
    (.blank, 0.5, "fewFeatures"),
  ])
  func fewTracksAreNamed(_ view: ViewCondition?, _ luma: Double, _ word: String) {
    var watch = CameraHealthMonitor(FinderConfiguration())
    var frame = Self.frame(0, features: 2, luma: luma)
    frame.view = view
    watch.update(frame)
    #expect(watch.cause == word && PublicationObstacle(rawValue: word)?.reason == .insufficientLighting)
  }

  @Test func framesThatStopComingBlindToo() {
    var watch = CameraHealthMonitor(FinderConfiguration())
    watch.update(Self.frame(0, features: 50, luma: nil))
    #expect(watch.isBlind(at: Self.at(2)) == true && watch.word(at: Self.at(2)) == "cameraUnavailable")
  }

  /// Where somebody looked at the image, the cause has its own word and is said sooner.
  @Test(arguments: [
    (ViewCondition.dark, "dark"), (.covered, "covered"), (.blank, "fewFeatures"), (.blurred, "excessiveMotion"),
  ])
  func aJudgedViewNamesItsCause(_ view: ViewCondition, _ word: String) {
    var watch = CameraHealthMonitor(FinderConfiguration())
    watch.update(Self.frame(0, features: 50, luma: 0.5))
    for k in 1...8 {
      var frame = Self.frame(0.05 * Double(k), features: 0, luma: 0.3)
      frame.view = view
      watch.update(frame)
      #expect(watch.cause == word && watch.isBlind(at: frame.timestamp) == (k > 6))
    }
    var clear = Self.frame(0.45, features: 50, luma: 0.5)
    clear.view = .clear
    watch.update(clear)
    #expect(watch.cause == nil && watch.isBlind(at: clear.timestamp) == false)
  }
}
