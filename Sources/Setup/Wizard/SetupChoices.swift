import MailCore
import Settings

/// What a person chooses for the account: names, folders, how far back, where it lies, whether to pull. Where an account
/// is replaced, an empty answer keeps what that one has.
///
/// Of an optional within another the outer one is nil until the question is answered.
package struct SetupChoices: Sendable {
  private let given: SetupGiven
  private let surroundings: SetupSurroundings

  var realName: String??
  /// Patterns; nil within for all.
  private var folders: [String]??
  /// Nil within for everything.
  private var window: String??
  package private(set) var account: String?
  package private(set) var root: String?
  var pulls: Bool?

  init(_ given: SetupGiven, in surroundings: SetupSurroundings) {
    self.given = given
    self.surroundings = surroundings
    if let name = given.realName { realName = .some(name) }
    if let window = given.window { self.window = .some(window == "all" ? nil : window) }
    if let folders = given.folders { self.folders = .some(folders == ["*"] ? nil : folders) }
    root = surroundings.root ?? given.root
    pulls = given.pulls
  }

  // MARK: What is missing

  /// - Parameter folders: those that the server has.
  mutating func next(_ folders: [FolderInfo]) -> SetupStep.Action? {
    if self.folders == nil {
      if !folders.isEmpty { return .ask(foldersQuestion(folders)) }
      self.folders = .some(foldersBefore)
    }
    return window == nil ? .ask(windowQuestion) : nil
  }

  /// An account that is replaced counts from the start, so its name is asked for first.
  var asksForReplaced: Bool {
    given.replaces && account == nil && !surroundings.accounts.isEmpty
  }

  func write(into draft: inout AccountDraft) {
    draft.realName = realName ?? nil
    draft.folders = folders ?? nil
    draft.window = window ?? nil
  }

  // MARK: What is replaced

  /// Nil where no account is, or its name is not known yet.
  var replaced: AccountSettings? {
    guard given.replaces, let account else { return nil }
    return surroundings.replaceable.first { $0.name.lowercased() == account.lowercased() }
  }

  /// The answer that leaves the folders as they are.
  private static let sameFolders = "same"

  /// The patterns that it has; nil for all.
  private var foldersBefore: [String]? {
    guard let folders = replaced?.sync.folders, folders != .everything else { return nil }
    return folders.texts
  }

  private var windowBefore: String? { replaced?.sync.window.text }

  // MARK: Answers

  mutating func choose(folders answer: String, of folders: [FolderInfo]) throws(AnswerFault) {
    if let foldersBefore, answer.lowercased() == Self.sameFolders {
      self.folders = .some(foldersBefore)
      return
    }
    do throws(FolderChoice.Mistake) {
      self.folders = .some(try FolderChoice.patterns(answer, of: folders))
    } catch {
      throw .folders(error)
    }
  }

  mutating func enter(window answer: String) throws(AnswerFault) {
    guard WindowAnswer.isValid(answer) || answer == windowBefore else { throw .noWindow }
    window = .some(answer == "all" ? nil : answer)
  }

  /// Also what the command line says, before anything is asked.
  mutating func enter(account name: String) throws(AnswerFault) {
    if let fault = AccountNames.fault(name) { throw .accountName(fault) }
    if let taken = surroundings.accounts.first(where: { $0.lowercased() == name.lowercased() }) {
      let path = surroundings.configuration
      guard given.replaces else { throw .account(.accountExists(taken, path: path)) }
      guard surroundings.replaceable.contains(where: { $0.name == taken }) else {
        throw .account(.cannotReplace(taken, path: path))
      }
    }
    account = name
  }

  mutating func enter(root answer: String) throws(AnswerFault) {
    guard answer.hasPrefix("/") || answer == "~" || answer.hasPrefix("~/"),
      answer == answer.visible
    else { throw .noPath }
    root = SetupGiven.withoutSlash(answer)
  }

  // MARK: Questions

  static let realNameQuestion = Question(
    .realName, prompt: "Your name, as others shall see it (may be left empty)", preset: "",
    missing: "--name")

  private func foldersQuestion(_ folders: [FolderInfo]) -> Question {
    Question(
      .folders,
      text: ["Folders on the server:"] + FolderList.lines(folders) + [
        (foldersBefore.map { "Enter leaves it at \($0.joined(separator: ", ")); all takes all." }
          ?? "Enter takes all.")
          + " Numbers such as 1-3,7 take only those, -5 leaves number 5 out."
      ], prompt: "Which shall be mirrored?",
      preset: foldersBefore == nil ? "all" : Self.sameFolders, missing: "--folders")
  }

  private var windowQuestion: Question {
    Question(
      .window, prompt: "How far back? all, or days as 90d, or a size as 5GB",
      preset: windowBefore ?? "all", missing: "--window")
  }

  func accountQuestion(_ address: EmailAddress) -> Question {
    Question(
      .account, prompt: "A short name for this account",
      preset: AccountNames.proposal(for: address, taken: surroundings.accounts),
      missing: "--account")
  }

  static let rootQuestion = Question(
    .root, prompt: "Where shall the mail lie?", preset: "~/Mail", missing: "--root")

  static let pullQuestion = Question(
    .pull, prompt: "Pull the mail now?", preset: "y", scripted: .some("n"), missing: "--pull")
}
