import FrontEnd
import Images
import Simulation
import Testing

@Suite struct PyramidImageTests {
}
