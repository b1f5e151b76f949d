import MailCore

/// Reads keys that name a program to run.
struct CommandReader {
  let expansion: PathExpansion

  /// A text goes to the shell; a list is the program and its arguments, as they are.
  func command(_ key: String, in section: ConfigurationSection) throws(SettingsError) -> [String] {
    if let text = try? section.string(key) {
      guard text.contains(where: { !$0.isWhitespace }) else { throw empty(key, section) }
      return ["/bin/sh", "-c", text]
    }
    guard var argv = try section.strings(key) else { return [] }
    guard let program = argv.first, !program.isEmpty else { throw empty(key, section) }
    do throws(PathExpansion.Failure) {
      argv[0] = try expansion.tilde(program)
    } catch {
      throw section.bad(key, error.words, "Write the program's name or its absolute path.")
    }
    return argv
  }

  private func empty(_ key: String, _ section: ConfigurationSection) -> SettingsError {
    section.bad(key, "is empty", "Write [\"pass\", \"show\", \"…\"].")
  }
}
