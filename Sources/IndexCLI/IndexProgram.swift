import ArgumentParser
import CLISupport

@main enum IndexProgram {
  static func main() async {
    await Program.main(IndexCommand.self)
  }
}

/// The indexer. It has no commands yet.
struct IndexCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror-index",
    abstract: "Build and read an index over a Maildir tree.",
    discussion: "This version has no commands yet: it only tells its version.",
    version: "mirror-index \(ProductVersion.text)")

  func run() throws {
    throw ValidationError("there is no command yet; --version tells the version.")
  }
}
