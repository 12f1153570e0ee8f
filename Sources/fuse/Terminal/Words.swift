import Report

/// The command formats quantities as its reports do.
package typealias Words = Report.Words
