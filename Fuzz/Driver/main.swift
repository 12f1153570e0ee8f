import CFuzzer
import Foundation
import FuzzTargets

// fuse-fuzz: $FUSE_FUZZ_TARGET names the target; the arguments are libFuzzer's. Started by tools/fuzz.

let name = ProcessInfo.processInfo.environment["FUSE_FUZZ_TARGET"] ?? ""
guard let chosen = FuzzTarget(rawValue: name) else {
  let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
  FileHandle.standardError.write(Data("FUSE_FUZZ_TARGET is '\(name)', expected one of: \(names)\n".utf8))
  exit(64)
}
/// For libFuzzer's callback, which can capture nothing.
nonisolated(unsafe) let target = chosen

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { start, size in
    target.run(start.map { [UInt8](UnsafeBufferPointer(start: $0, count: size)) } ?? [])
    return 0
  })
