import Foundation

/// Resource use of a run so far, measured by the operating system.
struct ResourceUse {
  /// Seconds on the wall since `began`.
  var wall: Double
  /// Seconds of processor time of the whole process.
  var cpu: Double
  /// Largest resident memory of the process, bytes.
  var peakMemory: Int

  /// The cost since a moment given by `DispatchTime`'s nanoseconds.
  init(since began: UInt64) {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      peakMemory = Int(usage.ru_maxrss) * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      peakMemory = Int(usage.ru_maxrss)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    wall = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
