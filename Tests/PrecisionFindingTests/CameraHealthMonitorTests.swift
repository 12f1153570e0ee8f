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
    var monitor = CameraHealthMonitor(FinderConfiguration())
    #expect(monitor.isBlind(at: Self.at(0)) == nil)
    monitor.update(Self.frame(0, features: 50, luma: 0.5))
    #expect(monitor.isBlind(at: Self.at(0.4)) == false && monitor.cause == nil && monitor.features == 50)
    monitor.update(Self.frame(0.1, features: 3, luma: 0.01))
    #expect(monitor.cause == "dark" && monitor.isBlind(at: Self.at(0.4)) == false)
    #expect(monitor.isBlind(at: Self.at(0.6)) == true && monitor.word(at: Self.at(0.6)) == "dark")
    monitor.update(Self.frame(0.7, features: 50, luma: 0.5))
    #expect(monitor.isBlind(at: Self.at(0.7)) == false && monitor.cause == nil)
  }

  @Test func fewFeaturesBlindEvenWhereTheLightIsUnknown() {
    var monitor = CameraHealthMonitor(FinderConfiguration())
    monitor.update(Self.frame(0, features: 7, luma: nil))
    #expect(monitor.cause == "fewFeatures" && monitor.isBlind(at: Self.at(0.3)) == false)
    #expect(monitor.isBlind(at: Self.at(0.6)) == true)
    monitor.update(Self.frame(0.6, features: 8, luma: nil))
    #expect(monitor.isBlind(at: Self.at(0.6)) == false)
  }

  /// A camera that tracks in the dusk is not in the dark: `mean_luma` 0.01 beside all tracks once asked for light.
  @Test func tracksDecideNotLight() {
    var monitor = CameraHealthMonitor(FinderConfiguration())
    for k in 0...40 {
      monitor.update(Self.frame(0.05 * Double(k), features: 50, luma: 0.01))
      #expect(monitor.cause == nil && monitor.isBlind(at: Self.at(0.05 * Double(k))) == false)
    }
  }

  /// The cause of few tracks is the reported view, else the light; a blank wall in the dark is darkness.
  @Test(arguments: [
    (ViewCondition?.none, 0.01, "dark"), (nil, 0.5, "fewFeatures"), (.covered, 0.01, "covered"), (.blank, 0.01, "dark"),
    (.blank, 0.5, "fewFeatures"),
  ])
  func fewTracksAreNamed(_ view: ViewCondition?, _ luma: Double, _ word: String) {
    var monitor = CameraHealthMonitor(FinderConfiguration())
    var frame = Self.frame(0, features: 2, luma: luma)
    frame.view = view
    monitor.update(frame)
    #expect(monitor.cause == word && PublicationObstacle(rawValue: word)?.reason == .insufficientLighting)
  }

  @Test func framesThatStopComingBlindToo() {
    var monitor = CameraHealthMonitor(FinderConfiguration())
    monitor.update(Self.frame(0, features: 50, luma: nil))
    #expect(monitor.isBlind(at: Self.at(2)) == true && monitor.word(at: Self.at(2)) == "cameraUnavailable")
  }

  /// With a reported view, the cause has its own word and is reported sooner.
  @Test(arguments: [
    (ViewCondition.dark, "dark"), (.covered, "covered"), (.blank, "fewFeatures"), (.blurred, "excessiveMotion"),
  ])
  func aClassifiedViewNamesItsCause(_ view: ViewCondition, _ word: String) {
    var monitor = CameraHealthMonitor(FinderConfiguration())
    monitor.update(Self.frame(0, features: 50, luma: 0.5))
    for k in 1...8 {
      var frame = Self.frame(0.05 * Double(k), features: 0, luma: 0.3)
      frame.view = view
      monitor.update(frame)
      #expect(monitor.cause == word && monitor.isBlind(at: frame.timestamp) == (k > 6))
    }
    var clear = Self.frame(0.45, features: 50, luma: 0.5)
    clear.view = .clear
    monitor.update(clear)
    #expect(monitor.cause == nil && monitor.isBlind(at: clear.timestamp) == false)
  }
}
