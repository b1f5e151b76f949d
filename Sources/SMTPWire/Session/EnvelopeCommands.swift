/// MAIL and RCPT with the parameters that message and server need.
struct EnvelopeCommands {
  var mail: SMTPCommand
  var recipients: [SMTPCommand]

  /// Fails where the server cannot take this message as it is; no byte is wasted on finding out.
  static func make(_ plan: SubmissionPlan, _ extensions: ServerExtensions)
    -> Result<EnvelopeCommands, SubmissionOutcome.Unsuitability>
  {
    if let limit = extensions.maximumSize, plan.size > limit {
      return .failure(.tooLarge(limit: limit))
    }
    if plan.hasEightBitBody, !extensions.eightBit { return .failure(.needsSevenBit) }
    let all = (plan.sender.map { [$0] } ?? []) + plan.recipients
    let needsUTF8 = plan.hasUTF8Header || all.contains { !$0.isASCII && $0.withASCIIDomain == nil }
    guard !needsUTF8 || extensions.utf8 else { return .failure(.needsUTF8) }

    func spelled(_ address: SubmissionAddress) -> String {
      // Behind SMTPUTF8 both forms are right; without it only the ASCII one is.
      address.isASCII || needsUTF8 ? address.text : address.withASCIIDomain ?? address.text
    }
    var parameters: [String] = []
    if extensions.hasSize { parameters.append("SIZE=\(plan.size)") }
    if extensions.eightBit {
      // RFC 6531 §3.6: with SMTPUTF8 the header alone may have eight bits.
      parameters.append("BODY=\(plan.hasEightBitBody || needsUTF8 ? "8BITMIME" : "7BIT")")
    }
    if needsUTF8 { parameters.append("SMTPUTF8") }
    if extensions.dsn, let id = plan.envelopeID {
      parameters += ["RET=HDRS", "ENVID=\(xtext(id))"]
    }
    let notify = extensions.dsn ? plan.notify.map { ["NOTIFY=\(xtext($0))"] } ?? [] : []
    let count = min(extensions.maximumRecipients ?? .max, plan.recipients.count)
    return .success(
      EnvelopeCommands(
        mail: .mail(from: plan.sender.map(spelled) ?? "", parameters: parameters),
        recipients: plan.recipients.prefix(count).map {
          .recipient(spelled($0), parameters: notify)
        }))
  }

  // xtext = *( xchar / hexchar ), RFC 3461 §4
  private static func xtext(_ text: String) -> String {
    var output = ""
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "+"), byte != UInt8(ascii: "=") {
        output.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let hex = String(byte, radix: 16, uppercase: true)
        output += "+" + (hex.count == 1 ? "0" : "") + hex
      }
    }
    return output
  }
}
