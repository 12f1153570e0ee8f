// Streams a recording to the service at the pace of its standard input, and prints the updates:
//
//   fuse stream datasets/demo --pace real | swift run StreamRecording http://127.0.0.1:8040
import Foundation
import FuseClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

guard CommandLine.arguments.count == 2, let address = URL(string: CommandLine.arguments[1]) else {
  FileHandle.standardError.write(Data("usage: fuse stream <folder> --pace real | StreamRecording <address>\n".utf8))
  exit(64)
}

/// Creates the session from the first line, as an app does from its own header.
func create(_ header: Data) async throws -> FuseClient.Session {
  var request = URLRequest(url: address.appendingPathComponent("v1/sessions"))
  request.httpMethod = "POST"
  request.httpBody = header
  let data = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
    URLSession.shared.dataTask(with: request) { data, _, error in
      continuation.resume(with: data.map { .success($0) } ?? .failure(error!))
    }.resume()
  }
  return try JSONDecoder().decode(FuseClient.Session.self, from: data)
}

guard let header = readLine(strippingNewline: false) else { exit(2) }
let client = FuseClient(try await create(Data(header.utf8)), at: address)
let updates = Task {
  for try await update in client.updates() { print(String(decoding: update.line, as: UTF8.self)) }
}
var batch = Data()
var began = ContinuousClock.now
while let line = readLine(strippingNewline: false) {
  batch.append(contentsOf: line.utf8)
  if began.duration(to: .now) > .milliseconds(50) {
    try await client.sendBatch(batch)
    batch.removeAll()
    began = .now
  }
}
if !batch.isEmpty { try await client.sendBatch(batch) }
try await client.finish()
try await updates.value
