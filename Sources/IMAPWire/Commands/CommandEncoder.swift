import MailCore

/// Turns commands into bytes, with the literals the server takes: `{n+}` (LITERAL+, RFC 7888), the
/// same up to 4096 bytes (LITERAL-), else `{n}` and a wait for `+`.
package struct CommandEncoder: Sendable {
  package enum Step {
    case send([UInt8])
    /// Nothing may be sent until the server says `+`; a completion instead means that it refused.
    case awaitContinuation
    case stream(IMAPCommand.Source)
  }

  private enum Literals { case synchronising, short, any }
  private let literals: Literals

  package init(_ capabilities: CapabilitySet) {
    literals =
      capabilities.contains(.literalPlus)
      ? .any : capabilities.contains(.literalMinus) ? .short : .synchronising
  }

  /// - Throws: ``CommandError`` where a string holds a NUL.
  package func encode(_ command: IMAPCommand, tag: CommandTag) throws(CommandError) -> [Step] {
    var steps: [Step] = []
    var bytes = Array("\(tag) ".utf8)
    for part in command.parts {
      switch part {
      case .text(let text):
        guard !text.contains(0) else { throw .unspeakableName(text) }
        bytes += text
      case .literal(let content, let isBinary):
        guard isBinary || command.name == "APPEND" || !content.contains(0) else {
          throw .unspeakableName(content)
        }
        announce(content.count, isBinary, &bytes, &steps)
        bytes += content
      case .source(let source, let isBinary):
        announce(source.size, isBinary, &bytes, &steps)
        if !bytes.isEmpty { steps.append(.send(bytes)) }
        bytes = []
        steps.append(.stream(source))
      }
    }
    bytes += [0x0D, 0x0A]
    steps.append(.send(bytes))
    return steps
  }

  private func announce(
    _ size: Int, _ isBinary: Bool, _ bytes: inout [UInt8], _ steps: inout [Step]
  ) {
    let needsWait =
      switch literals {
      case .any: false
      case .short: size > 4096
      case .synchronising: true
      }
    bytes += Array("\(isBinary ? "~" : "")\(needsWait ? "{\(size)}" : "{\(size)+}")\r\n".utf8)
    guard needsWait else { return }
    steps.append(.send(bytes))
    steps.append(.awaitContinuation)
    bytes = []
  }
}
