import Foundation
import Geometry
import Report
import ReportTestSupport
import Testing

/// The page in a real browser, if installed.
@Suite(.enabled(if: Chromium.isHere, Comment(rawValue: Chromium.message))) struct BrowserTests {
  @Test func thePhoneShowsTheMoment() throws {
    var run = HandMadeRun(peer: "a </script> \"b\"")
    run.updates = [run.update(2), run.update(5)]
    run.updates[0].horizontalAngle = nil
    run.updates[0].guidance = "Move on & on."
    let early = try Chromium.content(of: run, moment: "t=3.5&peer=other")
    #expect(early.contains("data-ready=\"true\"") && !early.contains("data-error"))
    #expect(early.contains("id=\"phone-distance\">3.8 m<"))
    #expect(early.contains("id=\"phone-side\">no direction<"))
    #expect(early.contains("id=\"phone-guidance\">Move on &amp; on.<"))
    #expect(early.contains("<b>a &lt;/script&gt; \"b\"</b>: 3.5 m away, ahead, on our level"))
    let late = try Chromium.content(of: run, moment: "t=5")
    #expect(late.contains("id=\"phone-distance\">3.5 m<"))
    #expect(late.contains("id=\"phone-side\">ahead<"))
    #expect(late.contains("id=\"phone-level\">on your level<"))
    #expect(late.contains("truth (cross): 3.5 m, ahead, on your level"))
  }

  /// Keys, tabs and the pointer change the selected time and peer.
  @Test func handsOn() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    run.peer = "other"
    run.updates += [run.update(3)]
    func after(_ script: String) throws -> String {
      try Chromium.content(of: run, moment: "t=5&peer=tag", doing: script)
    }
    func key(_ name: String, _ more: String = "") -> String {
      "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '\(name)', bubbles: true\(more)}));"
    }
    let distance = "id=\"phone-distance\">"
    #expect(try after(key("ArrowLeft", ", shiftKey: true")).contains(distance + "3.8 m<"))
    #expect(try after(key("ArrowLeft") + key("ArrowRight")).contains(distance + "3.5 m<"))
    #expect(try after(key("Home")).contains(distance + "- m<"))
    #expect(
      try after("$('time').value = 2.5; $('time').dispatchEvent(new Event('input'));").contains(distance + "3.8 m<"))
    #expect(try after("document.querySelectorAll('[role=tab]')[0].click();").contains(distance + "3.7 m<"))
    let panel = "document.querySelectorAll('#panels svg')[1]"
    let pointer = """
      const box = \(panel).getBoundingClientRect();
      \(panel).dispatchEvent(new PointerEvent('pointerdown', {clientX: box.left + 0.35 * box.width, buttons: 1}));
      """
    #expect(try after(pointer).contains(distance + "3.8 m<"))
    #expect(try after("location.hash = 't=2.5&peer=tag'; recall();").contains(distance + "3.8 m<"))
  }

  /// Converged, open and stale estimates differ to the eye; the distance's ring and the places are drawn before
  /// convergence only.
  @Test func trustIsVisible() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    run.updates[0].status = "notConverged"
    var input = try run.input()
    let places = [Vector3(0, 1, 0), Vector3(0, -1, 0)].map {
      PosteriorMoment.Place(share: 0.5, direction: $0, distance: 3.8, sideways: 0.1, upwards: 0.1)
    }
    input.posterior = ["tag": [.init(timestamp: HandMadeRun.time(2), places: places)]]
    func drawn(_ moment: String) throws -> String { try Chromium.content(of: ReportPage.html(input), moment: moment) }
    let open = try drawn("t=2.5")
    #expect(open.contains("class=\"screen open ahead\"") && open.contains("not sure yet"))
    #expect(open.contains("class=\"ring open\"") && open.contains("class=\"region open\""))
    #expect(open.components(separatedBy: ">50 %<").count == 3)
    let stale = try drawn("t=4.5")
    #expect(stale.contains("class=\"screen stale ahead\"") && stale.contains("no news for 3 s"))
    #expect(stale.contains("class=\"ring stale\"") && !stale.contains(">50 %<"))
    let converged = try drawn("t=5")
    #expect(converged.contains("class=\"screen converged ahead\""))
    #expect(!converged.contains("class=\"ring converged\"") && converged.contains("class=\"region converged\""))
    #expect(converged.contains("class=\"badge good\""))
  }

  /// Another run of the page is one press away, and in the address.
  @Test func runsAreChosen() throws {
    var near = HandMadeRun()
    (near.name, near.result) = ("near", ["title": "the near one"])
    near.updates = [near.update(2)]
    var far = near
    (far.name, far.result) = ("far", ["title": "the far one"])
    far.updates[0].distance = 9
    let page = ReportPage.html(try [near.input(), far.input()])
    let first = try Chromium.content(of: page, moment: "")
    #expect(
      first.contains("aria-level=\"2\">near · the near one<") && first.contains(">2 runs, the worst first<")
        && first.contains("id=\"phone-distance\">3.8 m<"))
    let pressed = try Chromium.content(
      of: page, moment: "", doing: "document.querySelectorAll('#runs button')[1].click();")
    #expect(pressed.contains(">far · the far one<") && pressed.contains("id=\"phone-distance\">9.0 m<"))
    #expect(try Chromium.content(of: page, moment: "run=1&t=2").contains(">far · the far one<"))
    // A row a run; pressing the second one's chooses it.
    #expect(first.components(separatedBy: "class=\"choice\"").count == 3)
    let row = "document.querySelectorAll('#comparison .choice')[1].dispatchEvent(new Event('click'));"
    #expect(try Chromium.content(of: page, moment: "", doing: row).contains(">far · the far one<"))
    let changed = try Chromium.content(
      of: ReportPage.html(try [near.input(), far.input()], changes: ["different: <b>", "a"]), moment: "")
    #expect(changed.contains("<h2 class=\"different\">different: &lt;b&gt;</h2>") && changed.contains(">a</pre>"))
    #expect(changed.contains(">Before and after, the worse first<") && !first.contains("class=\"different\""))
  }

  /// The camera shows the last frame up to the selected time, over its picture where there is one; a moment is one
  /// press away.
  @Test func theCameraFollows() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    var input = try run.input()
    #expect(try Chromium.content(of: ReportPage.html(input), moment: "").contains("aria-label=\"The camera\" hidden"))
    func track(_ u: Double) -> CameraView.Track { .init(points: [.init(u: u, v: 5), .init(u: u + 10, v: 5)]) }
    input.camera = CameraView(
      width: 640, height: 480,
      moments: [
        .init(timestamp: HandMadeRun.time(1.004), tracks: [track(100)], picture: [255, 216, 255]),
        .init(timestamp: HandMadeRun.time(4), tracks: [track(200), track(300)]),
      ])
    let page = ReportPage.html(input)
    let late = try Chromium.content(of: page, moment: "t=4.5")
    #expect(
      late.contains("at 4.0 s (0.5 s before the selected time): 2 tracks") && late.contains("M200 5L210 5M300 5L310 5"))
    #expect(!late.contains("<image") && late.contains("no picture"))
    let early = try Chromium.content(
      of: page, moment: "t=4.5", doing: "document.querySelector('.moments button').click();")
    #expect(early.contains("at 1.0 s: 1 track and its last half second") && early.contains("M100 5L110 5"))
    #expect(early.contains("href=\"data:image/jpeg;base64,/9j/\"") && early.contains("1.01 s") == false)
  }

  /// An arrow whose interval misses the truth is told to be off.
  @Test func aWrongArrowIsTold() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    run.updates[1].horizontalAngle = .init(value: 0.3, standardDeviation: 0.05, low: 0.2, high: 0.4)
    #expect(try Chromium.content(of: run, moment: "t=5").contains("the arrow is 17.2° off, more than it says"))
    #expect(try Chromium.content(of: run, moment: "t=5").contains("class=\"rim wrong\""))
    let right = try Chromium.content(of: run, moment: "t=2")
    #expect(!right.contains("more than it says") && right.contains("class=\"rim\""))
  }

  /// A saved figure needs no style sheet: every element has its own, and no variable is left.
  @Test func figuresStandAlone() throws {
    var run = HandMadeRun()
    run.updates = [run.update(2), run.update(5)]
    let script = """
      const text = standAlone(document.querySelector('#top svg')).text;
      document.body.dataset.kept = [text.startsWith('<svg'), text.includes('var('), text.split('fill: ').length > 20].join();
      """
    let page = try Chromium.content(of: run, moment: "t=5", doing: script)
    #expect(page.contains("data-kept=\"true,false,true\""))
    #expect(page.contains(">SVG</button>") && page.contains(">PNG</button>"))
  }

  @Test(arguments: ["no peers", "no poses", "no truth", "no recording", "nothing"])
  func whatIsMissingBreaksNothing(_ what: String) throws {
    var run = HandMadeRun()
    if what != "no peers" && what != "nothing" { run.updates = [run.update(1), run.update(2)] }
    run.hasPoses = what != "no poses" && what != "nothing"
    run.hasTruth = !["no truth", "no recording", "nothing"].contains(what)
    run.knowsDevice = what != "no recording"
    let page = try Chromium.content(of: run, moment: "")
    #expect(page.contains("data-ready=\"true\"") && !page.contains("data-error"), "\(what)")
    #expect(page.contains(run.updates.isEmpty ? "no peer" : "id=\"phone-distance\">3.8 m<"))
    #expect(page.contains("class=\"plans\" hidden") == (what == "nothing"))
  }
}

/// A headless browser.
enum Chromium {
  static let message = "skipped: no chromium on the PATH"
  static let isHere = binary != nil

  private static let binary: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .flatMap { folder in ["chromium", "chromium-browser", "google-chrome"].map { "\(folder)/\($0)" } }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The elements of a run's page after its script ran, and then another one, as text.
  static func content(of run: HandMadeRun, moment: String, doing script: String = "") throws -> String {
    try content(of: ReportPage.html(try run.input()), moment: moment, doing: script)
  }

  /// The same of a page.
  static func content(of page: [UInt8], moment: String, doing script: String = "") throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, out) = (folder.appendingPathComponent("page.html"), folder.appendingPathComponent("out"))
    try Data(page + Array("<script>\(script)</script>".utf8)).write(to: file)
    _ = FileManager.default.createFile(atPath: out.path, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: binary!)
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)/profile", "--dump-dom",
      "file://\(file.path)#\(moment)",
    ]
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    if ended.wait(timeout: .now() + 60) == .timedOut { process.terminate() }
    // The script's own text is no content.
    let page = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    return page.components(separatedBy: "<script type=\"application/json\"")[0]
  }
}
