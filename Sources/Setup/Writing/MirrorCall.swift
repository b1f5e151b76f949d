/// How other programs call mirror.
package struct MirrorCall: Sendable, Equatable {
  /// `mirror` where the PATH leads to it, else its absolute path.
  package var program: String
  /// Where `mirror` does not find it by itself; absolute.
  package var configuration: String?
  /// mirror's absolute path, for programs that search no PATH.
  package var path: String

  package init(program: String, configuration: String? = nil, path: String) {
    (self.program, self.configuration, self.path) = (program, configuration, path)
  }

  /// As a shell takes it.
  func shell(_ arguments: String) -> String {
    ([program] + options).map(QuotedText.shell).joined(separator: " ") + " " + arguments
  }

  /// As a unit of systemd takes it.
  func systemd(_ arguments: String) -> String {
    ([path] + options).map(QuotedText.systemd).joined(separator: " ") + " " + arguments
  }

  private var options: [String] { configuration.map { ["--config", $0] } ?? [] }
}
