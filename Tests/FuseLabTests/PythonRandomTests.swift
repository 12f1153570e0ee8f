import Testing
import fuse_lab

/// The draws are Python's, as python3 3.11 prints them: recorded worlds stay the same.
@Suite struct PythonRandomTests {
  @Test func drawsOfANumber() {
    let random = PythonRandom(1600)
    #expect(random.random() == 0.014225358908714902)
    #expect(random.random() == 0.5379084806096811)
    #expect(random.random() == 0.7299814328493925)
    #expect(random.choice([1, 2, 3, 4, 5]) == 5)
    #expect(random.integer(3...20) == 16)
    #expect(random.gaussian(0, 5) == 0.3731946823854764)
    #expect(random.gaussian(1, 2) == -0.31381229994817783)
    #expect(random.uniform(-90, 90) == -82.70844484338942)
  }

  @Test func drawsOfATextAndOfALargeNumber() {
    let random = PythonRandom("1600 poses")
    #expect(random.random() == 0.4193890002164705)
    #expect(random.random() == 0.8542325659118728)
    #expect(random.random() == 0.40391208056799555)
    #expect(PythonRandom(1 << 40 + 7).random() == 0.6137037779936511)
  }

  /// Beyond one round of the generator's state.
  @Test func drawsGoOn() {
    let random = PythonRandom(1)
    for _ in 0..<1999 { _ = random.random() }
    #expect(random.random() == 0.4499663746974547)
    #expect((0..<12).map { _ in random.choice(Array(0..<7)) } == [3, 2, 2, 6, 6, 1, 6, 4, 2, 1, 6, 0])
  }
}
