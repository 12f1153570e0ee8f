import ArgumentParser
import Datasets
import Foundation
import JSONText
import Wording

/// A page of the documents that is made of figures: picture, conclusion and tables. All figures stand beside it.
struct Page {
  /// Of its files, and of the tool that writes it, `tools/update-<name>`.
  var name: String
  var title: String
  /// What the picture shows; nil: what the page is about.
  var pictureTitle: String?
  /// Two sentences.
  var conclusion: String
  var picture: BarChart
  /// Lines.
  var body: [String]
  /// All figures and their conditions, for `.build/pages`; nil: the page has them itself.
  var details: String?

  /// The page.
  var text: String {
    let figures =
      details == nil
      ? "; figures are defined in"
      : ", with all figures, confidence intervals and conditions in `.build/pages/\(name).md`. Definitions of the figures:"
    let lines =
      ["# \(title)", "", "![\(pictureTitle ?? title)](pictures/\(name).svg)", ""]
      + WrappedText.lines(conclusion, width: 140) + [""]
      + body + ["", "Written by `tools/update-\(name)`\(figures) [metrics.md](metrics.md)."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Writes it into a checkout.
  func write(to checkout: Checkout) throws {
    if let details { try checkout.write(details, ".build/pages/\(name).md") }
    try checkout.write(picture.svg, "docs/pictures/\(name).svg")
    try checkout.write(text, "docs/\(name).md")
  }
}

/// Horizontal bars in groups, as SVG. The same numbers give the same bytes.
package struct BarChart {
  /// A value for each of the series; nil where there is none.
  package typealias Group = (label: String, values: [Double?])

  private let title: String
  private let groups: [Group]
  private let series: [String]
  private let maximum: Double
  private let reference: (value: Double, name: String)?

  private static let colours = ["#2f6db3", "#c9772b", "#8a8a8a"]
  private static let labels = 250, bars = 400, values = 110, row = 16, top = 44

  /// - Parameters:
  ///   - series: names of the colours; of a single one nothing is said.
  ///   - maximum: of the axis; nil: the next 1, 2, 2.5 or 5 times a power of ten.
  ///   - reference: a vertical line.
  package init(
    _ title: String, _ groups: [Group], series: [String] = [""], maximum: Double? = nil,
    reference: (value: Double, name: String)? = nil
  ) {
    (self.title, self.groups, self.series, self.reference) = (title, groups, series, reference)
    self.maximum = maximum ?? Self.roundMaximum(groups.flatMap { $0.values.compactMap(\.self) }.max() ?? 1)
  }

  private static func roundMaximum(_ largest: Double) -> Double {
    guard largest > 0 else { return 1 }
    let power = pow(10, log10(largest).rounded(.down))
    return [1, 2, 2.5, 5, 10].map { $0 * power }.first { largest <= $0 * (1 + 1e-9) }!
  }

  /// The picture.
  package var svg: String {
    let rows = groups.reduce(0) { $0 + Self.row * $1.values.count + 8 }
    var lines = ["<text x=\"8\" y=\"18\" font-size=\"13\" font-weight=\"bold\">\(escaped(title))</text>"]
    for (number, name) in series.enumerated() where series.count > 1 {
      let x = Self.labels + 160 * number
      lines += [
        "<rect x=\"\(x)\" y=\"26\" width=\"10\" height=\"10\" fill=\"\(Self.colours[number])\"/>",
        "<text x=\"\(x + 14)\" y=\"35\">\(escaped(name))</text>",
      ]
    }
    var y = Self.top
    for group in groups {
      let middle = y + Self.row * group.values.count / 2 + 4
      lines.append("<text x=\"\(Self.labels - 8)\" y=\"\(middle)\" text-anchor=\"end\">\(escaped(group.label))</text>")
      for (value, colour) in zip(group.values, Self.colours) {
        let (length, words) = (self.length(value ?? 0), value.map { Digits.significant($0, 6) } ?? "none")
        if value != nil {
          let width = Digits.fixed(length, 1)
          lines.append(
            "<rect x=\"\(Self.labels)\" y=\"\(y + 2)\" width=\"\(width)\" height=\"\(Self.row - 4)\" fill=\"\(colour)\"/>"
          )
        }
        let x = Digits.fixed(Double(Self.labels) + length + 5, 1)
        lines.append("<text x=\"\(x)\" y=\"\(y + Self.row - 4)\">\(words)</text>")
        y += Self.row
      }
      y += 8
    }
    if let reference {
      let x = Digits.fixed(Double(Self.labels) + length(reference.value), 1)
      lines += [
        "<line x1=\"\(x)\" y1=\"\(Self.top - 4)\" x2=\"\(x)\" y2=\"\(y)\" stroke=\"#222\" stroke-dasharray=\"3 3\"/>",
        "<text x=\"\(x)\" y=\"\(y + 14)\" text-anchor=\"middle\">\(escaped(reference.name))</text>",
      ]
    }
    let width = Self.labels + Self.bars + Self.values
    return Self.svg(width, Self.top + rows + (reference == nil ? 8 : 24), lines)
  }

  /// A picture of these lines on white.
  static func svg(_ width: Int, _ height: Int, _ lines: [String]) -> String {
    let head =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\" "
      + "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">"
    let ground = "<rect width=\"\(width)\" height=\"\(height)\" fill=\"#fff\"/>"
    return ([head, ground] + lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func length(_ value: Double) -> Double { Double(Self.bars) * min(max(value, 0), maximum) / maximum }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
