import Foundation
import LiveSessions

/// Counters of the service in Prometheus' text format. No session's id is a label.
final class ServiceMetrics: @unchecked Sendable {
  private struct Histogram {
    static let bounds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    var counts = [Int](repeating: 0, count: bounds.count + 1)
    var sum = 0.0

    mutating func add(_ value: Double) {
      counts[Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count] += 1
      sum += value
    }

    func text(_ name: String) -> String {
      var text = "# TYPE \(name) histogram\n"
      var total = 0
      for (index, bound) in Self.bounds.enumerated() {
        total += counts[index]
        text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
      }
      total += counts.last!
      return text + "\(name)_bucket{le=\"+Inf\"} \(total)\n\(name)_sum \(sum)\n\(name)_count \(total)\n"
    }
  }

  private let lock = NSLock()
  private var requests: [String: Int] = [:]
  private var batches: [String: Int] = [:]
  private var acknowledgements = Histogram()
  private var events = 0
  private var bytes = 0
  private var readers = 0

  /// Counts a request.
  func request(method: String, route: String, status: Int, seconds: Double) {
    let known = ["GET", "POST", "DELETE", "OPTIONS", "HEAD"].contains(method) ? method : "other"
    lock.withLock { requests["method=\"\(known)\",route=\"\(route)\",status=\"\(status)\"", default: 0] += 1 }
  }

  /// Counts a batch.
  func batch(events: Int, bytes: Int, reply: LiveSession.Reply, seconds: Double) {
    lock.withLock {
      if case .accepted = reply {
        self.events += events
        self.bytes += bytes
        acknowledgements.add(seconds)
        batches["accepted", default: 0] += 1
      } else {
        batches["refused", default: 0] += 1
      }
    }
  }

  /// A reader came or went.
  func reader(_ change: Int) { lock.withLock { readers += change } }

  /// The text.
  func text(_ registry: SessionRegistry) -> String {
    let states = registry.all.reduce(into: [String: Int]()) { $0[$1.currentStatus.state.rawValue, default: 0] += 1 }
    let syncs = registry.log.syncs
    lock.lock()
    defer { lock.unlock() }
    var text = "# TYPE fuse_requests_total counter\n"
    for (labels, count) in requests.sorted(by: { $0.key < $1.key }) {
      text += "fuse_requests_total{\(labels)} \(count)\n"
    }
    text += "# TYPE fuse_batches_total counter\n"
    for (reply, count) in batches.sorted(by: { $0.key < $1.key }) {
      text += "fuse_batches_total{reply=\"\(reply)\"} \(count)\n"
    }
    text += "# TYPE fuse_sessions gauge\n"
    for state in ["active", "recovering", "finished", "failed"] {
      text += "fuse_sessions{state=\"\(state)\"} \(states[state] ?? 0)\n"
    }
    text += acknowledgements.text("fuse_acknowledgement_seconds")
    func value(_ name: String, _ type: String, _ value: String) { text += "# TYPE \(name) \(type)\n\(name) \(value)\n" }
    value("fuse_sessions_created_total", "counter", "\(registry.createdCount)")
    value("fuse_events_total", "counter", "\(events)")
    value("fuse_bytes_total", "counter", "\(bytes)")
    value("fuse_readers", "gauge", "\(readers)")
    value("fuse_log_bytes", "gauge", "\(registry.log.bytes)")
    value("fuse_log_syncs_total", "counter", "\(syncs.count)")
    value("fuse_log_sync_seconds_total", "counter", "\(syncs.total)")
    value("fuse_log_sync_seconds_max", "gauge", "\(syncs.longest)")
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let cpu =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
      * 1e-6
    value("process_cpu_seconds_total", "counter", "\(cpu)")
    value("process_max_resident_memory_bytes", "gauge", "\(usage.ru_maxrss * 1024)")
    return text
  }
}
