import Datasets
import DatasetsTestSupport
import Foundation
import Testing

@Suite struct InputDigestTests {
  /// The examples of FIPS 180-4's companion document: "abc", and the empty message.
  @Test(arguments: [
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ])
  func knownHashes(text: String, sha256: String) throws {
    let fixture = try Fixture(isEmpty: true)
    try fixture.write("file", text)
    #expect(try InputDigest.sha256(of: fixture.path("file")) == sha256)
  }

  @Test func inputsAndTruthApart() throws {
    let fixture = try Fixture()
    try fixture.write("dataset.yaml", "title: t\n")
    let before = try InputDigest(fixture.open())
    #expect(
      before.inputs.map(\.path) == [
        "dataset.yaml", Fixture.features, Fixture.cameraCalibration, Fixture.imu, Fixture.imuCalibration,
        Fixture.ranges, Fixture.radioCalibration,
      ])
    #expect(before.groundTruth == [])
    try fixture.write("mav0/peers_groundtruth0/data.csv", "anything")
    let after = try InputDigest(fixture.open())
    #expect(after.inputs == before.inputs)
    #expect(after.groundTruth.map(\.path) == ["mav0/peers_groundtruth0/data.csv"])
    try fixture.edit(Fixture.ranges, line: 5) { $0 + "1" }
    #expect(try InputDigest(fixture.open()).inputs != before.inputs)
  }

  /// A truth that cannot be read was left out in silence, and a changed one accepted later. A folder without permission
  /// looks so to everybody but a superuser, under whom tests may run: a link to itself cannot be read by anybody.
  @Test func whatCannotBeReadIsAnError() throws {
    for name in ["mav0/peers_groundtruth0", "mav0/state_groundtruth_estimate0"] {
      let fixture = try Fixture()
      symlink(fixture.path(name), fixture.path(name))
      let error = #expect(throws: DatasetError.self) { try InputDigest(fixture.open()) }
      #expect(error?.file == fixture.path(name + "/data.csv"), "\(String(describing: error))")
    }
  }
}
