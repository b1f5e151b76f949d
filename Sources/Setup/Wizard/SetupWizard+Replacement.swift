import Settings

/// The account that is replaced: it tells what is kept, and what is taken for an empty answer.
extension SetupWizard {
  /// Nil where none is, or its name is not known yet.
  var replaced: AccountSettings? {
    guard given.replaces, let account else { return nil }
    return surroundings.replaceable.first { $0.name.lowercased() == account.lowercased() }
  }

  /// It counts from the start, so its name is asked for first.
  var asksForReplaced: Bool {
    given.replaces && account == nil && !surroundings.accounts.isEmpty
  }

  /// Why an account of this name cannot be written; nil where it can.
  func obstacle(to name: String) -> WritingError? {
    guard let taken = takenName(name) else { return nil }
    guard given.replaces else { return .accountExists(taken, path: surroundings.configuration) }
    let canReplace = surroundings.replaceable.contains { $0.name == taken }
    return canReplace ? nil : .cannotReplace(taken, path: surroundings.configuration)
  }

  /// The answer that leaves the folders as they are.
  static let sameFolders = "same"

  /// The patterns that it has; nil for all.
  var foldersBefore: [String]? {
    guard let folders = replaced?.sync.folders, folders != .everything else { return nil }
    return folders.texts
  }

  var windowBefore: String? { replaced?.sync.window.text }

  static let lostCommands =
    "store-command and load-command were left out, as they belong to another client id or provider: "
    + "the refresh token goes into a file that only you can read."

  /// The person's own commands kept the tokens, and no longer do.
  var losesCommands: Bool {
    usesOAuth == true && replaced?.oauth?.storeCommand != nil && oauthSettings?.storeCommand == nil
  }
}
