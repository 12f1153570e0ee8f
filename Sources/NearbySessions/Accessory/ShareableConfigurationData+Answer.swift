extension ShareableConfigurationData {
  /// The phone's answer to an accessory: the accessory's timing if given, else the protocol's defaults; session number,
  /// initial STS value and address from the session's random token.
  init(answering accessory: AccessoryConfigurationData, token: NIDiscoveryToken) {
    let random = Array(token.bytes.dropFirst(2))
    let session = random[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let timing = accessory.uwb.timing
    self.init(
      session: session, slotsPerRound: timing?.slotsPerRound ?? 25, slotDurationRSTU: timing?.slotDurationRSTU ?? 2400,
      intervalMilliseconds: timing?.intervalMilliseconds ?? 200, staticSTS: Array(random[4..<10]),
      destinationAddress: Array(random[10..<12]), hops: timing?.hops)
  }
}
