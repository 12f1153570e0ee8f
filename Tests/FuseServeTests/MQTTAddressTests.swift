import Testing
import fuse_serve

/// Addresses of brokers and names in topics: what cannot be one is refused, and nothing of a name has a meaning there.
@Suite struct MQTTAddressTests {
  @Test func addressesAreRead() throws {
    let plain = try MQTTAddress("mqtt://broker/lab")
    #expect((plain.host, plain.port, plain.prefix, plain.isEncrypted) == ("broker", 1883, "lab", false))
    let whole = try MQTTAddress("mqtts://us%65r:p%40ss@[::1]:9000/site/lab/")
    #expect((whole.host, whole.port, whole.prefix, whole.user) == ("::1", 9000, "site/lab", "user"))
    #expect(whole.name == "mqtts://::1:9000/site/lab")
    for wrong in [
      "", "broker", "http://broker/x", "mqtt://broker", "mqtt://broker/", "mqtt://broker/a/+/b", "mqtt://broker/%23",
      "mqtt:///x", "mqtt://broker:0/x", "mqtt://broker:99999/x", "mqtt://broker/$SYS", "mqtt://broker/x?y=1",
    ] {
      let fault = #expect(throws: MQTTAddress.Fault.self, "\(wrong)") { try MQTTAddress(wrong) }
      #expect(fault?.description.contains("expected mqtt[s]://") == true)
    }
  }

  @Test func namesAreOneLevel() {
    #expect(MQTTAddress.level("tag") == "tag")
    #expect(MQTTAddress.level("a/b+c#d%e f\n") == "a%2Fb%2Bc%23d%25e%20f%0A")
    #expect(MQTTAddress.level("Türe") == "Türe")
    #expect(MQTTAddress.level("") == "%")
    // Different names stay different.
    let names = ["", "%", "%00", "\0", "a/b", "a%2Fb"]
    #expect(Set(names.map(MQTTAddress.level)).count == names.count)
  }
}
