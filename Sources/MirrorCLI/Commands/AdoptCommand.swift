import ArgumentParser
import CLISupport
import Foundation
import MailCore
import Setup

struct AdoptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Take over a tree that another program keeps.",
    discussion: """
      A tree that lies in its account's directory, in the account's layout, stays as it is; any other \
      is hard-linked there, folder by folder. Nothing of the old tree is changed. The next pull \
      matches the messages with the server and downloads none of them.

      Exit status: 0 done, 1 in part, 64 usage, 65 bad data, 75 another run holds the account, \
      78 configuration.
      """)

  @OptionGroup var common: CommonOptions

  @Option(help: "Whose tree it is: mbsync, offlineimap, notmuch or mu.")
  var from: PeerTool

  @Argument(
    help: ArgumentHelp(
      "The tree, or the directory of several. Default: what the other program is set up for.",
      valueName: "directory"))
  var directory: String?

  @Option(help: ArgumentHelp("The account that it belongs to.", valueName: "name"))
  var account: String?

  @Option(
    name: .customLong("map"), parsing: .singleValue,
    help: ArgumentHelp(
      "Which mailbox a folder is; may be repeated.", valueName: "folder=mailbox"))
  var mappings: [String] = []

  @Option(
    defaultAsFlag: AdoptCommand.askNotmuch, parsing: .next,
    help: ArgumentHelp(
      "Make notmuch's tags keywords; from a dump, or from notmuch itself.", valueName: "file"),
    completion: .file())
  var tags: String? = nil

  @Option(
    help: ArgumentHelp("The other program's configuration.", valueName: "file"),
    completion: .file())
  var theirConfig: String?

  @Flag(help: "Take copies in place of hard links.")
  var copy = false

  @Flag(help: "Tell what would be done, and do nothing.")
  var dryRun = false

  /// Stands for `--tags` without a file.
  private static let askNotmuch = "notmuch"

  func run() async throws {
    let session = try MirrorSession(common)
    var request = AdoptRequest(tool: from)
    // `--tags DIRECTORY`: the directory was meant as such.
    var (directory, tags) = (self.directory, self.tags)
    if directory == nil, let named = tags, Self.isDirectory(named) {
      (directory, tags) = (named, Self.askNotmuch)
    }
    request.directory = directory.map(Self.absolute)
    request.account = account
    request.mappings = try mappings.map(Self.rule)
    request.theirConfig = theirConfig.map(Self.absolute)
    (request.copies, request.isDryRun) = (copy, dryRun)
    switch tags {
    case nil: break
    case Self.askNotmuch:
      request.tags = try await PeerPrograms.dump(file: from == .notmuch ? theirConfig : nil)
    case let file?: request.tags = try PeerPrograms.dump(from: file)
    }
    try await AdoptRun(session: session, request: request).run()
  }

  /// `FOLDER=MAILBOX`, at the first sign.
  private static func rule(_ text: String) throws(MovingError) -> FolderMapping.Rule {
    guard let mark = text.firstIndex(of: "="), mark != text.startIndex,
      text.index(after: mark) != text.endIndex
    else { throw .badMapping(text) }
    return FolderMapping.Rule(
      folder: String(text[..<mark]), mailbox: String(text[text.index(after: mark)...]))
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func absolute(_ path: String) -> String {
    var path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

extension PeerTool: ExpressibleByArgument {}
