/// Jacobians by central differences, to test analytic ones.
public enum FiniteDifferences {
  /// The Jacobian (rows = outputs, columns = inputs) of `f` at zero, where `f` maps a perturbation of `count` numbers
  /// to a vector. Two step sizes and Richardson's extrapolation: the truncation error is O(step^4).
  public static func jacobian(inputs count: Int, step: Double = 1e-4, _ f: ([Double]) -> [Double]) -> [[Double]] {
    let rows = f([Double](repeating: 0, count: count)).count
    var result = [[Double]](repeating: [Double](repeating: 0, count: count), count: rows)
    for column in 0..<count {
      func central(_ h: Double) -> [Double] {
        var d = [Double](repeating: 0, count: count)
        d[column] = h
        let plus = f(d)
        d[column] = -h
        let minus = f(d)
        return zip(plus, minus).map { ($0 - $1) / (2 * h) }
      }
      let coarse = central(step)
      let fine = central(step / 2)
      for row in 0..<rows { result[row][column] = (4 * fine[row] - coarse[row]) / 3 }
    }
    return result
  }

  /// The largest difference between two matrices of one shape, relative to the larger of 1 and the larger element.
  public static func largestDifference(_ a: [[Double]], _ b: [[Double]]) -> Double {
    precondition(a.count == b.count && zip(a, b).allSatisfy { $0.count == $1.count }, "shapes differ")
    var largest = 0.0
    for (x, y) in zip(a.joined(), b.joined()) { largest = max(largest, abs(x - y) / max(1, abs(x), abs(y))) }
    return largest
  }
}
