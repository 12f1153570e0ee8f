import Testing
@Suite struct Nothing {}
