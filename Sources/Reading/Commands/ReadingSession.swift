import CLISupport
import MailCore
import MailIndex
import Settings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What every reading command begins with: the tree's root, its index, and a page to print on.
package struct ReadingSession {
  /// Absolute, without a slash at its end.
  package let root: String
  /// The configuration that the person named, if any.
  package let config: String?
  package let report: Report
  package let format: ResultFormat
  package let page: Page
  /// Of the configuration's accounts, where there is one.
  package let ownAddresses: [String]
  /// By what names the providers say who sent a message.
  package let providers: ProviderNames
  /// For a command that ends the process: closing an index takes longer than leaving it to the kernel.
  var leavesIndexOpen = false

  package init(
    _ options: ReadingOptions, format: ResultFormat = .text, console: Console = Console()
  ) throws {
    try self.init(options.place, format: format, console: console)
  }

  package init(_ place: ReadingPlace, format: ResultFormat, console: Console = Console()) throws {
    let environment = Self.environment
    report = Report(
      program: Self.program, format: format == .json ? .json : format == .jsonl ? .jsonl : .text,
      isQuiet: place.isQuiet, verbosity: place.verbosity, console: console,
      environment: environment)
    self.format = format
    page = Page(
      columns: console.outputSize?.columns,
      hasColours: Colour.isWanted(onTerminal: console.outputIsTerminal, environment: environment),
      now: Int64(time(nil)))
    let tree = try TreeRoot.find(place)
    root = tree.root
    config = place.config
    ownAddresses = tree.ownAddresses
    providers = ProviderNames(root: tree.root, configured: tree.authorities)
  }

  /// Looks new mail through for warnings.
  package var examiner: some MailExaminer { MailExamination(root: root, providers: providers) }

  /// `mirror` or `mirror-index`: both programs have these commands.
  package static let program =
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "mirror-index"

  /// - Throws: `IndexError`, each with its remedy.
  package func openIndex() throws(IndexError) -> IndexReader {
    guard access(root, F_OK) == 0 else { throw IndexError.noTree(root: root) }
    let reader = try IndexReader.open(root: root)
    if leavesIndexOpen { _ = Unmanaged.passRetained(reader) }
    return reader
  }

  package var writer: ResultWriter { ResultWriter(console: report.console, format: format) }

  /// Ends a command: with 1 where its results could not be written, else with `status`, of which everything was told.
  package func end(_ status: ExitStatus = .done) throws {
    if report.console.hasFailed {
      // Whoever closes a pipe early, as head(1) does, wants no words about it.
      if StandardStream.output.readerIsGone { throw ProgramEnd(.inPart) }
      throw OutputFailure()
    }
    if status != .done { throw ProgramEnd(status) }
  }

  /// Only what is asked for: Foundation's dictionary of all variables takes longer than a search.
  private static var environment: [String: String] {
    var found: [String: String] = [:]
    for name in ["NO_COLOR", "TERM"] {
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
    return found
  }
}

/// The results could not be written: whoever reads them must not take them for whole.
struct OutputFailure: Explained {
  var explanation: Explanation {
    Explanation(
      problem: "The results could not be written to standard output.",
      remedy: "Check the disk, or the program that reads them.", exitStatus: .inPart)
  }
}

/// Where the mail tree lies: `--root`, else the configuration's root, else `~/Mail`.
package struct TreeRoot {
  package var root: String
  package var ownAddresses: [String] = []
  /// By account.
  package var authorities: [String: String] = [:]

  /// - Throws: `SettingsError` where a configuration is there and cannot be used, unless the root was named.
  package static func find(_ place: ReadingPlace) throws -> TreeRoot {
    if let root = place.root { return TreeRoot(root: absolute(root)) }
    if let path = place.config ?? configuredPath {
      let configuration = try Configuration.load(path: path, needsAccounts: false)
      return TreeRoot(
        root: configuration.root, ownAddresses: configuration.accounts.compactMap(\.email),
        authorities: configuration.authorities)
    }
    return TreeRoot(root: home + "/Mail")
  }

  /// Nil where no configuration was written: the reading commands work without one.
  private static var configuredPath: String? {
    if let path = variable("MIRROR_CONFIG") { return path }
    let base = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let path = (base ?? home + "/.config") + "/mirror/config.toml"
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Without a slash at the end, without changing what links mean.
  static func absolute(_ path: String) -> String {
    var path = path
    if path == "~" || path.hasPrefix("~/") { path = home + path.dropFirst() }
    if !path.hasPrefix("/"), let here = getcwd(nil, 0) {
      defer { free(here) }
      path =
        path == "." || path.isEmpty ? String(cString: here) : String(cString: here) + "/" + path
    }
    if isPlain(path) { return path }
    let levels = path.split(separator: "/").filter { $0 != "." }
    return "/" + levels.joined(separator: "/")
  }

  /// Whether it has neither a slash too many nor a level of one dot: then it need not be taken apart.
  private static func isPlain(_ path: String) -> Bool {
    var last = UInt8(ascii: "/")
    var length = 0
    for byte in path.utf8.dropFirst() {
      if byte == UInt8(ascii: "/") {
        if length == 0 || length == 1 && last == UInt8(ascii: ".") { return false }
        length = 0
      } else {
        length += 1
      }
      last = byte
    }
    return length > 1 || length == 1 && last != UInt8(ascii: ".")
  }

  private static var home: String {
    if let home = variable("HOME"), home.hasPrefix("/") { return home }
    guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return "" }
    return String(cString: home)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
