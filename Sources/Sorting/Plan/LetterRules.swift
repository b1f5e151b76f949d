import MailCore
import Maildir

/// When a message whose keywords are letters may be marked or moved.
///
/// A letter means something only by the `dovecot-keywords` of its folder. What the letters of a file mean that is not
/// where the server has its message, the next push tells by what was agreed, and can tell it as long as at most one of
/// both is new: the folder or the keywords. So no command changes the second; none reads letters that may be another
/// folder's.
struct LetterRules {
  private let tree: SortingTree
  private let agreed: AgreedFiles
  private var tables: [String: DovecotKeywords] = [:]
  /// What the moves of this plan bring to each folder.
  private var brought: [String: Keywords] = [:]

  init(_ tree: SortingTree, _ agreed: AgreedFiles) {
    self.tree = tree
    self.agreed = agreed
  }

  /// Why the file's keywords stay as they are; nil where they may change.
  func hindrance(toMark file: ChosenFile) throws -> String? {
    guard applies(to: file), case .elsewhere = try agreed.place(of: file) else { return nil }
    return Self.unpushedMove
  }

  /// Why the file stays where it is; nil where it may go.
  ///
  /// - Parameter now: as it is called, which may be newer than what was chosen.
  mutating func hindrance(toMove file: ChosenFile, _ now: MessageFile, to target: String) throws
    -> String?
  {
    let letters = now.fileName.keywordLetters
    guard applies(to: file), !letters.isEmpty else { return nil }
    let table = try table(of: file.folder.text)
    let targetTable = try self.table(of: target)
    let keywords = table.keywords(of: letters)
    switch try agreed.place(of: file) {
    case .nowhere: break
    case .elsewhere: return Self.unpushedMove
    case .here(let message):
      let known = message.marks.keywords
      guard table.keywords(of: letters, agreed: known) == known else {
        return "its keywords are not pushed yet; push first"
      }
      // There it would look as if somebody had taken it off.
      let unlettered = known.subtracting(table.lettered)
      for keyword in unlettered.subtracting(targetTable.leftOut(of: unlettered)) {
        return "its folder has no letter for its keyword “\(keyword)”, which would be lost"
      }
    }
    let all = keywords.union(brought[target] ?? .none)
    if !targetTable.leftOut(of: all).isEmpty {
      for keyword in keywords.subtracting(targetTable.lettered) {
        return "the folder \(tree.title(target)) has no letter left for the keyword “\(keyword)”; "
          + "take that off first, with “mirror flag -\(keyword)”"
      }
    }
    brought[target] = all
    return nil
  }

  private static let unpushedMove = "it was moved here and is not pushed yet; push first"

  private func applies(to file: ChosenFile) -> Bool {
    if case .dovecot = tree.policy(file.account).keywords { true } else { false }
  }

  /// An empty one of a folder that is still to be made.
  private mutating func table(of path: String) throws -> DovecotKeywords {
    if let known = tables[path] { return known }
    var table = DovecotKeywords()
    do {
      table = try DovecotKeywords.read(in: tree.folder(path))
    } catch MaildirError.notMaildir {
      // It has none yet.
    }
    tables[path] = table
    return table
  }
}
