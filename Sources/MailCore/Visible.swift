extension String {
  /// The text with everything that could drive a terminal made visible (promise 9).
  ///
  /// C0 controls, DEL, C1, bidirectional overrides and isolates become `\u{…}`; line feeds and tabs too,
  /// because names and server words belong on one line.
  package var visible: String {
    guard unicodeScalars.contains(where: \.drivesTerminal) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.drivesTerminal {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var drivesTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    default: false
    }
  }
}
