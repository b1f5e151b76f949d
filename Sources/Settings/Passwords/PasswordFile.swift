import MailCore

/// Reads a `password-file`: its first line, and only if nobody else can read it.
enum PasswordFile {
  private static let sizeLimit = 64 << 10

  static func secret(path: String) throws(SettingsError) -> Secret {
    let file: PrivateFile
    do throws(SettingsError) {
      file = try PrivateFile(path: path, limit: sizeLimit)
    } catch .missingFile {
      throw .badPasswordFile(
        path, problem: "there is no such password file", remedy: "Write the password into it.")
    } catch .tooLarge {
      throw .badPasswordFile(
        path, problem: "is too large for a password file", remedy: "Check password-file.")
    } catch {
      throw error
    }
    guard !file.isExposed else {
      throw .badPasswordFile(
        path, problem: "others can read this password file",
        remedy: "chmod 600 '\(path)', and change the password if others use this machine.")
    }
    var line = file.bytes.prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty else {
      throw .badPasswordFile(
        path, problem: "its first line is empty", remedy: "Write the password there.")
    }
    return Secret(line)
  }
}
