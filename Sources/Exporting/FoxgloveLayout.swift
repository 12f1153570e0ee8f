import Datasets
import JSONText

/// A layout of Foxglove for an exported run: world, distances and angles, log, image with tracks.
package enum FoxgloveLayout {
  /// The layout's text, JSON.
  package static func text(peers: [String], hasImages: Bool) -> String {
    func series(_ path: String) -> JSONValue {
      .array(
        peers.map { peer in
          [
            "value": .string("/updates{peer==\"\(peer)\"}.\(path)"), "enabled": .bool(true),
            "timestampMethod": .string("receiveTime"), "label": .string(peer),
          ]
        })
    }
    func plot(_ title: String, _ path: String) -> JSONValue {
      [
        "title": .string(title), "paths": series(path), "showXAxisLabels": .bool(true),
        "showYAxisLabels": .bool(true), "showLegend": .bool(true), "legendDisplay": .string("floating"),
        "xAxisVal": .string("timestamp"), "isSynced": .bool(true),
      ]
    }
    let shown: JSONValue = ["visible": .bool(true)]
    var panels: [String: JSONValue] = [
      "3D!world": [
        "followMode": .string("follow-none"), "fixedFrame": .string("world"), "followTf": .string("world"),
        "topics": ["/path": shown, "/peers": shown], "transforms": ["frame:body": shown, "frame:device": shown],
        "layers": ["grid": ["layerId": .string("foxglove.Grid"), "visible": .bool(true), "size": .number(20)]],
      ],
      "Plot!distance": plot("distance [m]", "distance"),
      "Plot!angle": plot("horizontal angle [rad]", "horizontalAngle"),
      "Log!log": ["searchTerms": .array([]), "minLogLevel": .integer(1), "topicToRender": .string("/log")],
    ]
    if hasImages {
      panels["Image!cam0"] = [
        "imageMode": [
          "imageTopic": .string("/cam0/image"), "calibrationTopic": .string("/cam0/calibration"),
          "annotations": ["/cam0/tracks": shown],
        ]
      ]
    }
    func split(_ direction: String, _ first: JSONValue, _ second: JSONValue, _ share: Double) -> JSONValue {
      [
        "direction": .string(direction), "first": first, "second": second, "splitPercentage": .number(share),
      ]
    }
    let left = hasImages ? split("column", .string("3D!world"), .string("Image!cam0"), 60) : .string("3D!world")
    let right = split(
      "column", split("column", .string("Plot!distance"), .string("Plot!angle"), 50), .string("Log!log"), 70)
    let document: JSONValue = [
      "configById": .sorted(panels), "globalVariables": .object([]), "userNodes": .object([]),
      "playbackConfig": ["speed": .number(1)], "layout": split("row", left, right, 60),
    ]
    var buffer = JSONWriter()
    buffer.pretty(document)
    return String(decoding: buffer.bytes, as: UTF8.self) + "\n"
  }
}
