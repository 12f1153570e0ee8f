// What is not Apple's comes with this module: devices, worlds, policies, accessories' messages, the state machines on top
// of sessions.
#if !ONE_MODULE
  @_exported import NearbySessions
#endif
