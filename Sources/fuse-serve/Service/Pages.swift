import Foundation
import HTTPTypes
import Hummingbird
import LiveSessions
import Report

/// The page and the documents of the service itself.
struct Pages: Sendable {
  let service: LiveService

  /// `GET /`
  @Sendable func start(_ request: Request, _ context: ServiceContext) async throws -> Response { page() }

  /// `GET /s/{id}`: the same page; it reads the id from its address, and the token from the fragment or the query.
  @Sendable func finding(_ request: Request, _ context: ServiceContext) async throws -> Response {
    SessionIdentity.isID(context.parameters.get("id") ?? "") ? page() : Answers.error(.notFound, "no such page")
  }

  private func page() -> Response { Answers.bytes(PackageResources.finding_html, "text/html; charset=utf-8") }

  /// `GET /page.js`: the report's drawing code, then the page's own, what it says before what draws it.
  @Sendable func script(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let parts = [
      PageScripts.plot, PackageResources.sight_js, PackageResources.dial_js, PackageResources.map_js,
      PackageResources.finding_js,
    ]
    return Answers.bytes(Array(parts.joined(separator: [0x0A])), "text/javascript; charset=utf-8")
  }

  /// `GET /page.css`
  @Sendable func style(_ request: Request, _ context: ServiceContext) async throws -> Response {
    Answers.bytes(PackageResources.finding_css, "text/css; charset=utf-8")
  }

  /// `GET /openapi.json`
  @Sendable func contract(_ request: Request, _ context: ServiceContext) async throws -> Response {
    Answers.bytes(PackageResources.openapi_json, "application/json")
  }
}
