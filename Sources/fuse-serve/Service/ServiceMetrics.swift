import Foundation
import LiveSessions

/// Counters of the service in Prometheus' text format. No session's id is a label.
final class ServiceMetrics: @unchecked Sendable {
  private let lock = NSLock()
  private var requests: [String: Int] = [:]
  private var batches: [String: Int] = [:]
  private var refusals: [String: Int] = [:]
  private let acknowledgements = LatencyHistogram()
  private var events = 0
  private var bytes = 0
  private var readers = 0
  private var endedReaders = 0

  /// Counts a request.
  func request(method: String, route: String, status: Int, seconds: Double) {
    let known = ["GET", "POST", "DELETE", "OPTIONS", "HEAD"].contains(method) ? method : "other"
    lock.withLock { requests["method=\"\(known)\",route=\"\(route)\",status=\"\(status)\"", default: 0] += 1 }
  }

  /// Counts a request that was refused, by a word of a closed list.
  func refusal(_ word: String) { lock.withLock { refusals[word, default: 0] += 1 } }

  /// Counts a batch.
  func batch(events: Int, bytes: Int, reply: LiveSession.Reply, seconds: Double) {
    lock.withLock {
      if case .accepted = reply {
        self.events += events
        self.bytes += bytes
        batches["accepted", default: 0] += 1
      } else {
        batches["refused", default: 0] += 1
      }
    }
    if case .accepted = reply { acknowledgements.add(seconds) }
  }

  /// A reader came or went.
  func reader(_ change: Int) { lock.withLock { readers += change } }

  /// Readers at present.
  var readerCount: Int { lock.withLock { readers } }

  /// A reader that took nothing for long was ended.
  func endedReader() { lock.withLock { endedReaders += 1 } }

  /// The text.
  func text(_ service: LiveService) -> String {
    let registry = service.registry
    var text = Text()
    addRequests(&text)
    var states: [String: Int] = [:]
    for session in registry.all {
      let status = session.currentStatus
      let facts = session.facts
      let isParked = status.state == .active && !facts.isOpen
      states[isParked ? "parked" : status.state.rawValue, default: 0] += 1
    }
    text.family(
      "fuse_sessions", "gauge", "Sessions that are kept, by state.",
      ["active", "parked", "recovering", "finished", "failed"].map { ("state=\"\($0)\"", "\(states[$0] ?? 0)") })
    text.histogram(
      "fuse_acknowledgement_seconds", "From the end of a batch's body to its acknowledgement, when it is on disk.",
      acknowledgements)
    text.histogram(
      "fuse_update_seconds", "From the arrival of the batch that releases an update to its publication.",
      registry.updateLatency)
    let log = registry.log
    let syncs = log.syncs
    text.value(
      "fuse_sessions_created_total", "counter", "Sessions created since the start.", "\(registry.createdCount)")
    text.value("fuse_log_bytes", "gauge", "Bytes of the write-ahead log.", "\(log.bytes)")
    text.value("fuse_log_syncs_total", "counter", "Syncs of the log.", "\(syncs.count)")
    text.value("fuse_log_sync_seconds_total", "counter", "Time of the log's syncs.", "\(syncs.total)")
    text.value("fuse_log_sync_seconds_max", "gauge", "Longest sync of the log.", "\(syncs.longest)")
    text.value("fuse_connections", "gauge", "Connections at present.", "\(service.connections.present)")
    text.value("fuse_ready", "gauge", "Whether new sessions are taken: 1 or 0.", service.causes.isEmpty ? "1" : "0")
    if let mqtt = service.mqtt?.figures {
      text.value("fuse_mqtt_connected", "gauge", "Whether the broker is there: 1 or 0.", mqtt.isConnected ? "1" : "0")
      text.value("fuse_mqtt_published_total", "counter", "Updates handed to the broker.", "\(mqtt.published)")
      text.value("fuse_mqtt_missed_total", "counter", "Updates left out: too many waited.", "\(mqtt.missed)")
      text.value("fuse_mqtt_outages_total", "counter", "Times that the broker went away.", "\(mqtt.outages)")
    }
    addProcess(&text)
    return text.text
  }

  private func addRequests(_ text: inout Text) {
    lock.lock()
    defer { lock.unlock() }
    func sorted(_ counts: [String: Int]) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
    }
    text.family("fuse_requests_total", "counter", "Requests by method, call and status.", sorted(requests))
    text.family(
      "fuse_refusals_total", "counter", "Requests that were refused, by reason.",
      sorted(refusals).map { ("reason=\"\($0.0)\"", $0.1) })
    text.family(
      "fuse_batches_total", "counter", "Batches by what became of them.",
      sorted(batches).map { ("reply=\"\($0.0)\"", $0.1) })
    text.value("fuse_events_total", "counter", "Measurements in accepted batches.", "\(events)")
    text.value("fuse_bytes_total", "counter", "Bytes of accepted batches, unpacked.", "\(bytes)")
    text.value("fuse_readers", "gauge", "Readers of updates at present.", "\(readers)")
    text.value(
      "fuse_readers_ended_total", "counter", "Readers that took nothing for long and were ended.", "\(endedReaders)")
  }

  private func addProcess(_ text: inout Text) {
    let process = ProcessFigures()
    text.value("process_cpu_seconds_total", "counter", "Processor time.", "\(process.cpu)")
    text.value("process_resident_memory_bytes", "gauge", "Resident memory.", "\(process.memory)")
    text.value("process_max_resident_memory_bytes", "gauge", "Resident memory at most.", "\(process.mostMemory)")
    text.value("process_open_fds", "gauge", "Open descriptors.", "\(process.descriptors)")
    text.value("process_max_fds", "gauge", "Descriptors at most.", "\(process.mostDescriptors)")
    text.value("process_threads", "gauge", "Threads.", "\(process.threads)")
  }

  /// The text format, version 0.0.4: every family with HELP and TYPE.
  private struct Text {
    private(set) var text = ""

    mutating func family(_ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: String)]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for (labels, value) in values { text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n" }
    }

    mutating func value(_ name: String, _ type: String, _ help: String, _ value: String) {
      family(name, type, help, [("", value)])
    }

    mutating func histogram(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
      let (counts, sum) = histogram.values
      text += "# HELP \(name) \(help)\n# TYPE \(name) histogram\n"
      var total = 0
      for (bound, count) in zip(LatencyHistogram.bounds.map { "\($0)" } + ["+Inf"], counts) {
        total += count
        text += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
      }
      text += "\(name)_sum \(sum)\n\(name)_count \(total)\n"
    }
  }
}

/// What the system says of this process.
struct ProcessFigures {
  /// Processor time, seconds.
  let cpu: Double
  /// Resident bytes, now and at most.
  let memory: Int, mostMemory: Int
  /// Open descriptors, now and at most.
  let descriptors: Int, mostDescriptors: Int
  /// Threads.
  let threads: Int

  init() {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    cpu =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6
    mostMemory = usage.ru_maxrss * 1024
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    memory = (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
    mostDescriptors = Self.descriptorLimit
    threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
  }

  /// Descriptors that the system permits.
  static var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, rlim_t(Int.max)))
  }

  /// Asks the system for as many as it permits at all: ten thousand readers are ten thousand descriptors.
  static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
