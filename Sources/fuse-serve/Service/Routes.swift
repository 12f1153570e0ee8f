import HTTPTypes

/// The calls of the service by path: a closed list, so that no id is a label and another method is told from another path.
enum Routes {
  /// What a path leads to; nil where it leads nowhere.
  static func route(_ path: String) -> (name: String, methods: [HTTPRequest.Method])? {
    let parts = path.split(separator: "/").map(String.init)
    let reading: [HTTPRequest.Method] = [.get, .head]
    switch parts.count {
    case 0: return ("/", reading)
    case 1:
      let name = "/\(parts[0])"
      return documents.contains(name) ? (name, reading) : nil
    case 2 where parts[0] == "s": return ("/s/{id}", reading)
    case 2 where parts == ["v1", "sessions"]: return ("/v1/sessions", reading + [.post])
    case 2 where parts == ["v1", "updates"]: return ("/v1/updates", reading)
    case 3 where parts.starts(with: ["v1", "sessions"]): return ("/v1/sessions/{id}", reading + [.delete])
    case 4 where parts.starts(with: ["v1", "sessions"]):
      let name = "/v1/sessions/{id}/\(parts[3])"
      if ["events", "finish"].contains(parts[3]) { return (name, [.post]) }
      return results.contains(parts[3]) ? (name, reading) : nil
    default: return nil
    }
  }

  private static let documents: Set = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/page.js", "/page.css"]
  private static let results: Set = [
    "updates", "updates.jsonl", "trajectory.tum", "result.json", "recording", "socket", "foxglove",
  ]
}
