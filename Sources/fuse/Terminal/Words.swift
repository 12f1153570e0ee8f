import Report

/// The command and its reports say quantities in the same words.
package typealias Words = Report.Words
