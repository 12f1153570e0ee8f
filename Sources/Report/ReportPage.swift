import Datasets
import Foundation
import JSONText
import Wording

/// The report as one self-contained HTML file: no network, no font, no second file.
package enum ReportPage {
  /// The page of a run, UTF-8. The same input gives the same bytes.
  package static func html(_ input: ReportInput) -> [UInt8] { html([input]) }

  /// The page of several runs, in this order.
  ///
  /// - Parameter changes: what changed between two runs, in lines, the first one the summary.
  package static func html(_ inputs: [ReportInput], changes: [String] = []) -> [UInt8] {
    let title = inputs.count == 1 ? inputs[0].name : Words.count(inputs.count, "run")
    let json: JSONValue = [
      "runs": .array(inputs.map { ReportModel.json($0, runs: inputs.count) }),
      "changes": .texts(changes),
    ]
    return filled(
      PackageResources.report_html,
      [
        "title": Array(escaped(title).utf8), "style": PackageResources.report_css,
        "plot": PackageResources.plot_js, "export": PackageResources.export_js,
        "camera": PackageResources.camera_js, "comparison": PackageResources.comparison_js,
        "script": PackageResources.report_js, "data": harmless(json.bytes),
      ])
  }

  /// Runs in the order of a page, the worst first: those whose set-up is broken, over-confident ones by their coverage,
  /// doubtful ones, then those that lost a peer, those that found none, those that found all.
  package static func ordered(_ inputs: [ReportInput]) -> [ReportInput] {
    func key(_ input: ReportInput) -> (Int, Double) {
      let worst = ReportModel.verdicts(input).map(\.rank).min { $0 < $1 }
      return worst ?? PeerVerdict.rankWithoutPeers(input.verdict)
    }
    return inputs.map { ($0, key($0)) }.enumerated().sorted { a, b in
      let (one, other) = (a.element.1, b.element.1)
      return one == other ? a.offset < b.offset : one < other
    }.map(\.element.0)
  }

  /// The template with `{{name}}` replaced, in one pass: inserted text is not scanned again.
  private static func filled(_ template: [UInt8], _ pieces: [String: [UInt8]]) -> [UInt8] {
    let parts = String(decoding: template, as: UTF8.self).components(separatedBy: "{{")
    var page = Array(parts[0].utf8)
    for part in parts.dropFirst() {
      let halves = part.components(separatedBy: "}}")
      page += pieces[halves[0]] ?? []
      page += Array(halves.dropFirst().joined(separator: "}}").utf8)
    }
    return page
  }

  /// Text as HTML text or as the value of an attribute.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  /// JSON that cannot end its script element: these bytes occur only within strings.
  package static func harmless(_ json: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    for byte in json {
      switch byte {
      case UInt8(ascii: "<"): result += Array("\\u003c".utf8)
      case UInt8(ascii: ">"): result += Array("\\u003e".utf8)
      case UInt8(ascii: "&"): result += Array("\\u0026".utf8)
      default: result.append(byte)
      }
    }
    return result
  }
}

/// Scripts that other pages share.
package enum PageScripts {
  /// Drawing: SVG elements, scales, ticks; independent of runs and peers.
  package static var plot: [UInt8] { PackageResources.plot_js }
}
