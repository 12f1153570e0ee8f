import Foundation
import Geometry
import Premises
import SensorData
import Testing

/// The ground truth against the sensors: overlap, clock, up.
@Suite struct TruthTests {
  private static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_700_000_000_000_000_000).advanced(bySeconds: seconds)
  }

  /// A hand that turns about and walks in a room, 20 s.
  private static func pose(_ t: Double) -> Pose {
    Pose(
      rotation: .yaw(1.2 * sin(0.9 * t) + 0.4 * sin(2.3 * t))
        * .exp(Vector3(1.3 + 0.2 * sin(1.7 * t), 0.1 * cos(t), 0)),
      translation: Vector3(1.5 * sin(0.4 * t), 0.8 * sin(0.7 * t), 1.2 + 0.1 * sin(1.1 * t)))
  }

  private static let peer = Vector3(3, 4, 1)
  private static let rig = RigCalibration(
    imu: IMUCalibration(
      gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: 1e-2,
      accelerometerRandomWalk: 1e-3),
    radio: RadioCalibration())

  /// What is diagnosed where the truth is written through `truth`, `late` seconds late, and ranges `radioLate` late.
  private static func diagnoses(
    late: Double = 0, radioLate: Double = 0, refuted: Set<Diagnosis.Family> = [], through truth: (Pose) -> Pose = { $0 }
  ) -> [Diagnosis] {
    withoutActuallyEscaping(truth) { truth in
      var test = TruthConsistency(
        rig: rig, truth: time(late)...time(20 + late), recording: time(0)...time(20),
        worldFromBody: { stamp in
          let t = stamp.seconds(since: time(0)) - late
          return t >= 0 && t <= 20 ? truth(pose(t)) : nil
        }, peerPosition: { name, _ in name == "tag" ? truth(Pose(translation: peer)).translation : nil })
      for k in 0..<4000 {
        let t = 0.005 * Double(k)
        let turn = (pose(t).rotation.inverse * pose(t + 1e-4).rotation).log / 1e-4
        let h = 1e-3
        let acceleration =
          (pose(t + h).translation - 2 * pose(t).translation + pose(t - h).translation) / (h * h)
        let force = pose(t).rotation.inverse * (acceleration + Vector3(0, 0, 9.81))
        test.observe(.imu(IMUSample(timestamp: time(t), angularVelocity: turn, specificForce: force)))
        if k % 20 == 7 {
          let error = 0.05 * sin(Double(k))
          test.observe(
            .range(
              RangeMeasurement(
                timestamp: time(t), peer: "tag",
                range: (pose(t - radioLate).translation - peer).norm + 0.1 + error)))
        }
      }
      return test.diagnoses(refuted: refuted)
    }
  }

  @Test func aTruthThatAgreesIsNotDoubted() {
    #expect(Self.diagnoses() == [])
    #expect(Self.diagnoses(late: 0.04) == [], "a tracker's latency")
    let elsewhere = Pose(rotation: .yaw(1), translation: Vector3(10, 20, 30))
    #expect(Self.diagnoses(through: { elsewhere * $0 }) == [])
  }

  @Test(arguments: [0.5, -0.5, 2, 0.15]) func aShiftedTruthIsNamedWithItsShift(_ late: Double) throws {
    let found = Self.diagnoses(late: late)
    #expect(found.map(\.code) == ["truthClock"] && found.first?.family == .truth)
    let remedy = try #require(found.first?.remedy)
    #expect(remedy.contains(late > 0 ? "subtract \(late == 2 ? "2" : "\(late)") s" : "add \(-late) s"), "\(remedy)")
  }

  /// The rotations hold the truth's clock: a radio that is late is not the truth's fault.
  @Test func aLateRadioIsNotTheTruthsFault() { #expect(Self.diagnoses(radioLate: 1) == []) }

  @Test func aTruthOfAnotherTimeDoesNotOverlap() {
    let found = Self.diagnoses(late: 86_400)
    #expect(found.map(\.code) == ["truthOverlap"] && found.first?.family == .truth)
  }

  @Test func aWorldWithAnotherUpIsNamed() throws {
    let yUp = Pose(rotation: .exp(Vector3(-.pi / 2, 0, 0)))
    let found = Self.diagnoses(through: { yUp * $0 })
    #expect(found.map(\.code) == ["truthConvention"])
    #expect(try #require(found.first?.sentence).contains("+y"))
    let down = Pose(rotation: .exp(Vector3(.pi, 0, 0)))
    #expect(Self.diagnoses(through: { down * $0 }).map(\.code) == ["truthConvention"], "z down")
  }

  @Test func quaternionsInAnotherOrderAreNamed() {
    let found = Self.diagnoses(through: {
      // x, y, z, w in columns named w, x, y, z.
      let q = $0.rotation
      return Pose(rotation: Rotation(w: q.v.x, x: q.v.y, y: q.v.z, z: q.w), translation: $0.translation)
    })
    #expect(found.map(\.code) == ["truthConvention"])
  }

  @Test func anAccelerometerThatIsRefutedIsNoWitness() {
    let yUp = Pose(rotation: .exp(Vector3(-.pi / 2, 0, 0)))
    #expect(Self.diagnoses(refuted: [.imu], through: { yUp * $0 }) == [])
  }
}
