import NearbyInteraction
import simd

// Written as for a phone: anchors on the ceiling, positions in the app. Only differences of times are known: of two
// anchors' responses to the same poll.

/// A map of the hall with a dot on it.
public final class HallNavigator: NSObject, NISessionDelegate {
  private static let speedOfLight = 299_792_458.0
  public private(set) var position: simd_double2?
  public private(set) var problem: NIError.Code?
  private var session: NISession?
  private var heard: [Int: NIDLTDOAMeasurement] = [:]

  public func enter(network: Int) {
    guard NISession.deviceCapabilities.supportsDLTDOAMeasurement else { return }
    let configuration = NIDLTDOAConfiguration(networkIdentifier: network)
    configuration.discoveryMethod = .wifi
    session = NISession()
    session?.delegate = self
    session?.run(configuration)
  }

  public func session(_ session: NISession, didUpdateDLTDOA measurements: [NIDLTDOAMeasurement]) {
    for measurement in measurements where measurement.coordinatesType == .relative {
      if measurement.measurementType == .poll { heard = [:] }
      heard[measurement.address] = measurement
    }
    guard heard.count >= 4, let first = heard.values.min(by: { $0.address < $1.address }) else { return }
    // Gauss-Newton on the differences to the first anchor, from the anchors' mean.
    let others = heard.values.filter { $0.address != first.address }
    var guess = heard.values.reduce(simd_double2.zero) { $0 + Self.plane($1) } / Double(heard.count)
    for _ in 0..<20 {
      var (normal, right) = (simd_double3x3(), simd_double3.zero)
      for other in others {
        let difference = (Self.flight(other) - Self.flight(first)) * Self.speedOfLight
        let (near, far) = (guess - Self.plane(first), guess - Self.plane(other))
        let residual = difference - (length(far) - length(near))
        let slope = normalize(far) - normalize(near)
        let row = simd_double3(slope.x, slope.y, 0)
        for k in 0..<2 { normal[k] += row * row[k] }
        right += row * residual
      }
      normal[2, 2] = 1
      let step = normal.inverse * right
      guess += simd_double2(step.x, step.y)
    }
    position = guess
  }

  public func session(_ session: NISession, didInvalidateWith error: any Error) { problem = (error as? NIError)?.code }

  private static func plane(_ anchor: NIDLTDOAMeasurement) -> simd_double2 {
    simd_double2(anchor.coordinates.x, anchor.coordinates.y)
  }
  private static func flight(_ anchor: NIDLTDOAMeasurement) -> Double { anchor.receiveTime - anchor.transmitTime }
}
