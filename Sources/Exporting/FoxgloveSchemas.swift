/// JSON schemas of the messages that Foxglove draws, as far as they are used here, and of the project's own.
/// Source of the names and fields: Foxglove's message schemas, https://docs.foxglove.dev/docs/visualization/message-schemas.
enum FoxgloveSchemas {
  private static let time =
    #"{"type":"object","title":"time","properties":{"sec":{"type":"integer","minimum":0},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
  private static let duration =
    #"{"type":"object","title":"duration","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer","minimum":0,"maximum":999999999}}}"#
  private static let number = #"{"type":"number"}"#
  private static let text = #"{"type":"string"}"#
  private static let vector = object("foxglove.Vector3", [("x", number), ("y", number), ("z", number)])
  private static let quaternion = object(
    "foxglove.Quaternion", [("x", number), ("y", number), ("z", number), ("w", number)])
  private static let pose = object("foxglove.Pose", [("position", vector), ("orientation", quaternion)])
  private static let color = object("foxglove.Color", [("r", number), ("g", number), ("b", number), ("a", number)])

  private static func object(_ title: String, _ properties: [(String, String)]) -> String {
    let members = properties.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
    return "{\"title\":\"\(title)\",\"type\":\"object\",\"properties\":{\(members)}}"
  }

  private static func array(_ items: String) -> String { "{\"type\":\"array\",\"items\":\(items)}" }

  static let frameTransforms = object(
    "foxglove.FrameTransforms",
    [
      (
        "transforms",
        array(
          object(
            "foxglove.FrameTransform",
            [
              ("timestamp", time), ("parent_frame_id", text), ("child_frame_id", text), ("translation", vector),
              ("rotation", quaternion),
            ]))
      )
    ])

  static let posesInFrame = object(
    "foxglove.PosesInFrame", [("timestamp", time), ("frame_id", text), ("poses", array(pose))])

  static let sceneUpdate: String = {
    let pair = array(object("foxglove.KeyValuePair", [("key", text), ("value", text)]))
    let arrow = object(
      "foxglove.ArrowPrimitive",
      [
        ("pose", pose), ("shaft_length", number), ("shaft_diameter", number), ("head_length", number),
        ("head_diameter", number), ("color", color),
      ])
    let sphere = object("foxglove.SpherePrimitive", [("pose", pose), ("size", vector), ("color", color)])
    let cylinder = object(
      "foxglove.CylinderPrimitive",
      [("pose", pose), ("size", vector), ("bottom_scale", number), ("top_scale", number), ("color", color)])
    let label = object(
      "foxglove.TextPrimitive",
      [
        ("pose", pose), ("billboard", #"{"type":"boolean"}"#), ("font_size", number),
        ("scale_invariant", #"{"type":"boolean"}"#), ("color", color), ("text", text),
      ])
    let anything = #"{"type":"array"}"#
    let entity = object(
      "foxglove.SceneEntity",
      [
        ("timestamp", time), ("frame_id", text), ("id", text), ("lifetime", duration),
        ("frame_locked", #"{"type":"boolean"}"#), ("metadata", pair), ("arrows", array(arrow)), ("cubes", anything),
        ("spheres", array(sphere)), ("cylinders", array(cylinder)), ("lines", anything), ("triangles", anything),
        ("texts", array(label)), ("models", anything),
      ])
    let deletion = object(
      "foxglove.SceneEntityDeletion", [("timestamp", time), ("type", #"{"type":"integer"}"#), ("id", text)])
    return object("foxglove.SceneUpdate", [("deletions", array(deletion)), ("entities", array(entity))])
  }()

  static let log = object(
    "foxglove.Log",
    [
      ("timestamp", time), ("level", #"{"type":"integer"}"#), ("message", text), ("name", text), ("file", text),
      ("line", #"{"type":"integer"}"#),
    ])

  static let compressedImage = object(
    "foxglove.CompressedImage",
    [
      ("timestamp", time), ("frame_id", text), ("data", #"{"type":"string","contentEncoding":"base64"}"#),
      ("format", text),
    ])

  static let cameraCalibration = object(
    "foxglove.CameraCalibration",
    [
      ("timestamp", time), ("frame_id", text), ("width", #"{"type":"integer"}"#), ("height", #"{"type":"integer"}"#),
      ("distortion_model", text), ("D", array(number)), ("K", array(number)), ("R", array(number)),
      ("P", array(number)),
    ])

  static let imageAnnotations: String = {
    let point = object("foxglove.Point2", [("x", number), ("y", number)])
    let points = object(
      "foxglove.PointsAnnotation",
      [
        ("timestamp", time), ("type", #"{"type":"integer"}"#), ("points", array(point)), ("outline_color", color),
        ("outline_colors", array(color)), ("fill_color", color), ("thickness", number),
      ])
    return object(
      "foxglove.ImageAnnotations",
      [("circles", #"{"type":"array"}"#), ("points", array(points)), ("texts", #"{"type":"array"}"#)])
  }()

  /// One line of `updates.jsonl`, as it is there; docs/formats.md has its keys.
  static let update =
    #"{"title":"fuse.Update","type":"object","properties":{"timestamp":{"type":"integer"},"peer":{"type":["string","null"]},"distance":{"type":["number","null"]},"distanceStd":{"type":["number","null"]},"direction":{"type":["array","null"]},"horizontalAngle":{"type":["number","null"]},"horizontalAngleStd":{"type":["number","null"]},"horizontalAngleInterval":{"type":["array","null"]},"verticalDirectionEstimate":{"type":["string","null"]},"worldTransform":{"type":["array","null"]},"positionCovariance":{"type":["array","null"]},"quality":{"type":["string","null"]},"convergence":{"type":"object"},"guidance":{"type":["string","null"]},"details":{"type":"object"}}}"#

  static let range =
    #"{"title":"fuse.Range","type":"object","properties":{"timestamp":{"type":"integer"},"peer":{"type":"string"},"range":{"type":"number"},"antenna":{"type":["string","null"]}}}"#

  static let imu =
    #"{"title":"fuse.IMU","type":"object","properties":{"timestamp":{"type":"integer"},"angular_velocity":{"type":"array","items":{"type":"number"}},"specific_force":{"type":"array","items":{"type":"number"}}}}"#
}
