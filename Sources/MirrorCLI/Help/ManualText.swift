import Foundation

/// A manual page as plain text.
enum ManualText {
  /// What a program prints, without the overstrikes that terminals and pagers make bold letters of.
  ///
  /// - Returns: nil where it fails or says nothing.
  static func output(of program: String, _ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return nil }
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0, !bytes.isEmpty else { return nil }
    return withoutOverstrikes(String(decoding: bytes, as: UTF8.self))
  }

  static func withoutOverstrikes(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\u{8}" {
        if !scalars.isEmpty { scalars.removeLast() }
      } else {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }
}
