import MailCore
import Settings

/// One account of the configuration, and the mailboxes of it that were asked for.
struct SelectedAccount: Sendable {
  var settings: AccountSettings
  /// Empty: all of them.
  var mailboxes: [String]
}

/// `ACCOUNT[/MAILBOX]` arguments that name nothing (64).
enum SelectionError: Error, Equatable {
  case unknownAccount(String, nearest: String?, known: [String])
  case emptyMailbox(String)
}

extension SelectionError: Explained {
  var explanation: Explanation {
    switch self {
    case .unknownAccount(let name, let nearest, let known):
      let hint = nearest.map { "Did you mean “\($0)”? " } ?? ""
      return Explanation(
        problem: "There is no account “\(name)”.",
        remedy: known.isEmpty
          ? "The configuration has none."
          : "\(hint)The accounts are: \(known.joined(separator: ", ")).", exitStatus: .usage)
    case .emptyMailbox(let argument):
      return Explanation(
        problem: "“\(argument)” has no mailbox behind its slash.",
        remedy: "Write ACCOUNT, or ACCOUNT/MAILBOX.", exitStatus: .usage)
    }
  }
}

extension Configuration {
  /// The accounts that the arguments name, each once, in the order of the file; all where there are none.
  func select(_ arguments: [String]) throws(SelectionError) -> [SelectedAccount] {
    guard !arguments.isEmpty else {
      return accounts.map { SelectedAccount(settings: $0, mailboxes: []) }
    }
    var wanted: [String: [String]] = [:]  // an empty list: the whole account
    for argument in arguments {
      let (name, mailbox) = try Self.split(argument)
      guard account(named: name) != nil else {
        let names = accounts.map(\.name)
        throw .unknownAccount(name, nearest: nearestWord(to: name, among: names), known: names)
      }
      switch (mailbox, wanted[name]) {
      case (nil, _): wanted[name] = []
      case (let mailbox?, nil): wanted[name] = [mailbox]
      case (let mailbox?, let others?):
        if !others.isEmpty, !others.contains(mailbox) { wanted[name] = others + [mailbox] }
      }
    }
    return accounts.compactMap { account in
      wanted[account.name].map { SelectedAccount(settings: account, mailboxes: $0) }
    }
  }

  private static func split(_ argument: String) throws(SelectionError) -> (String, String?) {
    guard let slash = argument.firstIndex(of: "/") else { return (argument, nil) }
    let mailbox = argument[argument.index(after: slash)...]
    guard !mailbox.isEmpty else { throw .emptyMailbox(argument) }
    return (String(argument[..<slash]), String(mailbox))
  }
}
