import MailCore
import Maildir

extension Sorter {
  /// The files of those accounts that can do it; the others' are left, as those are that no account of ours has.
  ///
  /// - Parameter check: throws a ``SortingError`` for an account that cannot.
  /// - Throws: that error where no account can.
  mutating func possible(_ files: [ChosenFile], _ check: (String) throws -> Void) throws
    -> [ChosenFile]
  {
    let own = files.filter { tree.settings($0.account) != nil }
    var errors: [String: SortingError] = [:]
    let accounts = Set(own.map(\.account)).sorted()
    for account in accounts {
      do { try check(account) } catch let error as SortingError { errors[account] = error }
    }
    if errors.count == accounts.count, let error = accounts.first.flatMap({ errors[$0] }) {
      throw error
    }
    for file in files {
      if tree.settings(file.account) == nil {
        leave(file, "its account is none of the configuration's")
      } else if let error = errors[file.account] {
        let words = error.explanation.problem.withoutPeriod
        leave(file, words.prefix(1).lowercased() + words.dropFirst())
      }
    }
    return own.filter { errors[$0.account] == nil }
  }

  /// Whether the folder holds the message: the index may be older than the tree.
  mutating func holds(_ path: String, _ chosen: ChosenFile) throws -> Bool {
    for copy in chosen.copies where copy.folder.text == path {
      do {
        if try locate(copy.file.base, in: path, guess: copy.file) != nil { return true }
      } catch MaildirError.notMaildir {
        continue
      }
    }
    return false
  }

  /// Whether the server still has the message where no file is any more. A push that finds it nowhere would put it into
  /// the trash there, and the next pull bring it back from the dead.
  mutating func isOnItsWay(_ chosen: ChosenFile, _ agreed: AgreedFiles) throws -> Bool {
    guard case .elsewhere(let messages) = try agreed.place(of: chosen) else { return false }
    for message in messages {
      do {
        if try locate([UInt8](message.name), in: message.folder, guess: nil) == nil { return true }
      } catch MaildirError.notMaildir {
        return true
      }
    }
    return false
  }

  mutating func find(_ chosen: ChosenFile) throws -> (MaildirFolder, MessageFile)? {
    let path = chosen.folder.text
    do {
      if let file = try locate(chosen.file.base, in: path, guess: chosen.file) {
        return (try tree.folder(path), file)
      }
    } catch MaildirError.notMaildir {
      // The folder went away since the index was made.
    }
    leave(chosen, "it is no longer there")
    return nil
  }

  /// Each folder is read once, however many of its files have another name by now.
  mutating func locate(_ base: [UInt8], in path: String, guess: MessageFile?) throws
    -> MessageFile?
  {
    let folder = try tree.folder(path)
    if let guess, try tree.isThere(guess, in: folder) { return guess }
    let known = try names[path] ?? FolderNames(folder)
    names[path] = known
    return known.find(base)
  }

  mutating func leave(_ chosen: ChosenFile, _ reason: String) {
    let subject = chosen.subject.isEmpty ? "message \(chosen.message)" : "“\(chosen.subject)”"
    leftOut.append((subject, reason))
  }
}

extension Array {
  /// Groups in the order of their first elements.
  func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(Key, [Element])] {
    var places: [Key: Int] = [:]
    var groups: [(Key, [Element])] = []
    for element in self {
      let own = key(element)
      if let place = places[own] {
        groups[place].1.append(element)
      } else {
        places[own] = groups.count
        groups.append((own, [element]))
      }
    }
    return groups
  }
}
