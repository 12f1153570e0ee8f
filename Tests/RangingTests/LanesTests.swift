import Foundation
import Ranging
import Simulation
import Testing

@Suite struct LanesTests {
  @Test func exponentialsAreThoseOfTheLibrary() {
    var random = SeededRandom(seed: 81)
    for scale in [1e-9, 1e-3, 1, 30, 299] {
      for _ in 0..<500 {
        let x = Lanes((0..<4).map { _ in scale * random.uniform(-1...1) })
        let y = Lanes.exp(x)
        for lane in 0..<4 { #expect(abs(y[lane] / exp(x[lane]) - 1) < 1e-13, "exp(\(x[lane]))") }
      }
    }
    let ends = Lanes.exp(Lanes(0, -1e300, 1e300, .nan))
    #expect(ends[0] == 1 && ends[1] == exp(-300) && abs(ends[2] / exp(300) - 1) < 1e-13 && ends[3].isNaN)
  }

  @Test func clampedCDFIsThatOfTheNormalDistribution() {
    for k in -6000...6000 {
      let a = 0.001 * Double(k)
      let cdf = Lanes.clampedNormalCDF(below: Lanes(repeating: a))[k & 3]
      #expect(abs(cdf / max(0.5 * erfc(-a / 2.0.squareRoot()), 1e-9) - 1) < 1e-9, "Phi(\(a))")
    }
    let far = Lanes.clampedNormalCDF(below: Lanes(-1e9, -7, 7, 1e9))
    #expect(far[0] == 1e-9 && far[1] == 1e-9 && far[2] > 1 - 1e-8 && far[3] > 1 - 1e-8)
  }

  @Test func cdfContinuesBelowTheClamp() {
    for (a, cdf) in [(-6.0, 9.865876450376946e-10), (-4, 3.167124183311986e-05), (0.5, 0.6914624612740131)] {
      #expect(abs(Lanes.normalCDF(below: Lanes(repeating: a))[2] / cdf - 1) < 1e-7, "Phi(\(a))")
      let both = Lanes.normal(below: Lanes(repeating: a))
      #expect(
        both.cdf[1] == Lanes.normalCDF(below: Lanes(repeating: a))[1]
          && abs(both.bell[1] / exp(-0.5 * a * a) - 1) < 1e-12)
    }
    let far = Lanes.normalCDF(below: Lanes(-1e9, -30, -8, 30))
    #expect(far[0] == 0 && far[1] < 1e-100 && far[2] >= 0 && far[2] < 1e-15 && far[3] == 1)
  }

  @Test func anglesAreThoseOfTheLibrary() {
    var random = SeededRandom(seed: 82)
    for _ in 0..<5000 {
      let (y, x) = (Lanes((0..<4).map { _ in random.gaussian() }), Lanes((0..<4).map { _ in random.gaussian() }))
      let angle = Lanes.angle(y: y, x: x)
      for lane in 0..<4 { #expect(abs(angle[lane] - atan2(y[lane], x[lane])) < 1e-14) }
    }
    let axes = Lanes.angle(y: Lanes(0, 1, 0, -1), x: Lanes(1, 0, -1, 0))
    #expect(axes[0] == 0 && abs(axes[1] - .pi / 2) < 1e-15 && axes[2] == .pi && abs(axes[3] + .pi / 2) < 1e-15)
    #expect(Lanes.angle(y: .zero, x: .zero) == .zero)
  }
}
