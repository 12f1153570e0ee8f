import Datasets
import DatasetsTestSupport
import Testing

/// OpenCV's XML files, read as its YAML is.
@Suite struct OpenCVStorageTests {
  static let xml = """
    <?xml version="1.0"?>
    <!-- made by a calibrator -->
    <opencv_storage>
    <calibration_time>"Sun 02 Mar 2025 10:11:12"</calibration_time>
    <nframes>23</nframes>
    <image_width>640</image_width>
    <image_height>480</image_height>
    <image_size>
      640 480</image_size>
    <camera_matrix type_id="opencv-matrix">
      <rows>3</rows>
      <cols>3</cols>
      <dt>d</dt>
      <data>
        5.0e+02 0. 3.2e+02 0. 5.01e+02
        2.4e+02 0. 0. 1.</data></camera_matrix>
    <views><_>1</_><_>2</_></views>
    <empty/>
    </opencv_storage>

    """

  @Test func itReadsAsYAMLDoes() throws {
    let fixture = try Fixture(isEmpty: true)
    try fixture.write("a.xml", Self.xml)
    let file = try CalibrationFile(path: fixture.path("a.xml"))
    #expect(try file.text("calibration_time") == "Sun 02 Mar 2025 10:11:12")
    #expect(try file.number("image_width", "pixels", in: 1...1e4) == 640)
    #expect(try file.numbers("image_size", "two") == [640, 480])
    #expect(try file.numbers("camera_matrix", "nine") == [500, 0, 320, 0, 501, 240, 0, 0, 1])
    #expect(try file.numbers("views", "two") == [1, 2])
    #expect(file.fault("camera_matrix", found: "x", expected: "y").line == 10, "lines are the XML's")
    #expect(file.fault("views", found: "x", expected: "y").line == 17)
  }

  @Test(arguments: [
    ("<?xml version=\"1.0\"?>\n<html></html>\n", 2), ("<opencv_storage>\n<a>1</b>\n</opencv_storage>", 2),
    ("<opencv_storage>\n<a>1", 2), ("<opencv_storage>\n\n<a", 3),
    ("<?xml?>\n<!DOCTYPE x [<!ENTITY a \"b\">]>\n<opencv_storage/>", 2),
    ("<opencv_storage><a>1</a>\n<_>2</_></opencv_storage>", 2), ("<opencv_storage/>\n7", 2),
    ("<opencv_storage>\n<![CDATA[x]]></opencv_storage>", 2),
    ("<opencv_storage>\n<a>1</a>\n<a>2</a></opencv_storage>", 3),
    ("<?xml", 1),
  ]) func whatIsNoneIsRefusedWithItsLine(text: String, line: Int) throws {
    let fixture = try Fixture(isEmpty: true)
    try fixture.write("a.xml", text)
    let error = #expect(throws: DatasetError.self) { _ = try CalibrationFile(path: fixture.path("a.xml")) }
    #expect(error?.line.map { abs($0 - line) <= 1 } ?? false, "\(error?.description ?? text)")
  }

  @Test func deepElementsAreRefused() throws {
    let fixture = try Fixture(isEmpty: true)
    let deep = String(repeating: "<a>", count: 2000) + String(repeating: "</a>", count: 2000)
    try fixture.write("a.xml", "<opencv_storage>" + deep + "</opencv_storage>")
    #expect(throws: DatasetError.self) { _ = try CalibrationFile(path: fixture.path("a.xml")) }
  }

  /// Stated rows of a rolling shutter, and the older readout about the middle row.
  @Test func rowsOfAShutterAreRead() throws {
    let fixture = try Fixture()
    func camera(_ lines: String) throws -> (Double, Double, Double) {
      try fixture.write(Fixture.cameraCalibration, Fixture.cameraYAML + lines)
      let camera = try fixture.open().rig.cameras[0]
      return (camera.rowTime, camera.stampedRow, camera.readoutEnd)
    }
    #expect(try camera("") == (0, 0, 0))
    let (row, stamped, end) = try camera("row_time_s: 5.0e-05\n")
    #expect(row == 5e-5 && stamped == 0 && abs(end - 479 * 5e-5) < 1e-12)
    #expect(try camera("row_time_s: -5.0e-05\nstamped_row: 479\n").2 == 479 * 5e-5)
    let (middle, at, half) = try camera("readout_time_s: 0.02\n")
    #expect(abs(middle - 0.02 / 479) < 1e-12 && at == 239.5 && abs(half - 0.01) < 1e-12)
    #expect(throws: DatasetError.self) { _ = try camera("row_time_s: 0.5\n") }
    #expect(throws: DatasetError.self) { _ = try camera("row_time_s: 1e-5\nstamped_row: 480\n") }
    #expect(throws: DatasetError.self) { _ = try camera("row_times_s: 1e-5\n") }
  }
}
