import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct ExplanationTests {
  /// Mirror images are two places with their shares; neighbours are one.
  @Test func placesAreWhatIsOnOneSide() {
    let belief = Beliefs.balls(
      [(0.5, Vector3(3, 4, 0)), (0.2, Vector3(3.3, 3.8, 0.2)), (0.3, Vector3(-3, 4, 0))], sigma: 0.2)
    let places = Place.places(of: belief)
    #expect(places.count == 2)
    #expect(abs(places[0].share - 0.7) < 1e-12 && abs(places[1].share - 0.3) < 1e-12)
    #expect(abs(places[1].horizontalAngle + atan2(3, 4)) < 1e-9 && abs(places[1].elevation) < 1e-12)
    #expect(abs(places[1].distance - 5) < 1e-12)
    // A ball of 0.2 m at 5 m, whichever way one looks.
    #expect(abs(places[1].sideways - 0.04) < 1e-9 && abs(places[1].upwards - 0.04) < 1e-9)
  }

  /// Left and right are told apart sideways, above and below by going up and down.
  @Test func theManoeuvreIsAlongWhatDiffers() {
    func kind(_ a: Vector3, _ b: Vector3) -> Manoeuvre {
      Manoeuvre.separating(
        Place.places(of: Beliefs.balls([(0.6, a), (0.4, b)], sigma: 0.2)), limit: 1e-3,
        worldFromDevice: Beliefs.device,
        noise: RangeNoise(white: 0.1, coloured: 0, correlationTime: 2, correlationLength: 20), rate: 10)
    }
    #expect(kind(Vector3(3, 4, 0), Vector3(-3, 4, 0)).kind == .sideways)
    #expect(kind(Vector3(0, 4, 3), Vector3(0, 4, -3)).kind == .upAndDown)
    #expect(kind(Vector3(1, 4, 0), Vector3(1, -4, 0)).kind == .forwardsAndBack)
    let mirror = kind(Vector3(3, 4, 0), Vector3(-3, 4, 0))
    #expect(abs(mirror.separation! - 1.2) < 1e-12)
    // Odds of 0.4 to 0.001; a sweep of 0.177 m rms in white noise of 0.1 m at 10 Hz.
    #expect(abs(mirror.seconds! - 2 * log(400) / (1.44 * 0.03125 / 0.001)) < 1e-9)
  }

  /// What a sweep tells in coloured noise, against the exact `s^T C^-1 s` of a long sweep.
  @Test(arguments: [(0.06, 0.08, 10.0), (0.1, 0.0, 10.0), (0.04, 0.1, 20.0)])
  func informationIsThatOfTheExactCovariance(white: Double, coloured: Double, rate: Double) throws {
    let noise = RangeNoise(white: white, coloured: coloured, correlationTime: 2, correlationLength: 1e9)
    let seconds = 20.0
    let n = Int(seconds * rate)
    let signal = (0..<n).map { 0.25 * sin(.pi * Double($0) / rate) }
    var c = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
    for i in 0..<n {
      for j in 0..<n {
        c[i][j] = coloured * coloured * exp(-abs(Double(i - j)) / rate / 2) + (i == j ? white * white : 0)
      }
    }
    // Cholesky, then a forward substitution: |L^-1 s|^2.
    var y = signal
    for i in 0..<n {
      for j in 0...i {
        var sum = c[i][j]
        for k in 0..<j { sum -= c[i][k] * c[j][k] }
        c[i][j] = i == j ? sum.squareRoot() : sum / c[j][j]
      }
      for k in 0..<i { y[i] -= c[i][k] * y[k] }
      y[i] /= c[i][i]
    }
    let exact = y.reduce(0) { $0 + $1 * $1 }
    let claimed = try #require(Manoeuvre.information(noise, rate: rate)) * seconds
    #expect(abs(claimed / exact - 1) < 0.1, "\(claimed) against \(exact)")
  }
}
