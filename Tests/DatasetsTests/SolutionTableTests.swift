import Datasets
import DatasetsTestSupport
import Geometry
import Testing

@Suite struct SolutionTableTests {
  private func table(_ text: String) throws -> SolutionTable {
    let fixture = try Fixture(isEmpty: true)
    try fixture.write("mine.csv", text)
    return try SolutionTable(contentsOf: fixture.path("mine.csv"))
  }

  @Test func missingCellsAreSilence() throws {
    let found = try table(
      """
      timestamp [ns],peer,horizontalAngle [rad],horizontalAngleStd [rad],x [m],y [m],z [m],distance
      1000,tag,0.5,0.1,1,2,3,4
      2000,tag,,,,,,
      2000,,,,,,,

      """)
    #expect(found.rows.count == 3 && found.warnings.isEmpty)
    #expect(found.rows[0].angle == 0.5 && found.rows[0].angleDeviation == 0.1 && found.rows[0].angleLow == nil)
    #expect(found.rows[0].position == Vector3(1, 2, 3) && found.rows[0].distance == 4)
    #expect(found.rows[1].angle == nil && found.rows[1].position == nil && found.rows[1].peer == "tag")
    #expect(found.rows[2].peer == nil)
  }

  @Test func placesMayHaveTheirSigmas() throws {
    let found = try table(
      "timestamp [ns],peer,x [m],y [m],z [m],xStd [m],yStd [m],zStd [m]\n1,a,1,2,3,0.1,0.2,0.3\n2,a,1,2,3,0.1,,\n")
    #expect(found.rows[0].positionDeviation == Vector3(0.1, 0.2, 0.3) && found.rows[1].positionDeviation == nil)
  }

  @Test func faultsNameTheirLine() throws {
    for (text, part) in [
      ("timestamp [ns],horizontalAngle [rad]\n1,2\n", ":1: no column peer"),
      ("timestamp [ns],peer,horizontalAngle [deg]\n1,a,2\n", ":1: unit [deg]"),
      ("timestamp [ns],peer,horizontalAngle [rad]\n1,a,x\n", ":2: "),
      ("timestamp [ns],peer,horizontalAngle [rad]\n1,a,nan\n", ":2: "),
      ("timestamp [ns],peer,horizontalAngel [rad]\n1,a,1\n", ":1: column 'horizontalAngel'"),
    ] {
      #expect { try table(text) } throws: { "\($0)".contains(part) }
    }
  }
}
