/// Bounds on what a server can make the parser hold.
package struct ParserLimits: Sendable {
  /// Bytes of one response besides its bodies, SEARCH excepted.
  package var response = 2 << 20
  /// Bytes of one SEARCH: two million hits and more.
  package var search = 32 << 20
  /// A SEARCH beyond this size is taken in pieces.
  package var searchPiece = 64 << 10
  /// Literals other than bodies are kept up to this size; larger ones are read past.
  package var keptLiteral = 1 << 20
  /// What a body may announce. Bodies are streamed, so this bounds nothing but nonsense.
  package var body: UInt64 = 1 << 40
  /// Entries of a list: flags, labels, ID fields, capabilities.
  package var listEntries = 10_000
  /// Receive buffer while nothing unusual is under way.
  package var buffer = 64 << 10

  package init() {}
  package static let standard = ParserLimits()
}
