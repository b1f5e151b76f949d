import MailCore
import Maildir

/// The folders that a thread reads from, a few of them kept open: each holds four descriptors.
struct OpenFolders {
  private let tree: MailTree
  private var open: [(place: Int32, folder: MaildirFolder)] = []
  private var letters: [Int32: DovecotKeywords] = [:]

  private static let most = 24

  init(_ tree: MailTree) { self.tree = tree }

  mutating func folder(_ place: Int32, _ path: FolderPath) throws(MaildirError) -> MaildirFolder {
    if let index = open.lastIndex(where: { $0.place == place }) {
      if index < open.count - 1 { open.append(open.remove(at: index)) }
      return open[open.count - 1].folder
    }
    let folder = try tree.open(path)
    if open.count >= Self.most { open.removeFirst() }
    open.append((place, folder))
    return folder
  }

  /// What the keyword letters of a file's name mean in its folder.
  mutating func letters(of file: MessageFile, _ place: Int32, _ path: FolderPath) -> Keywords {
    let letters = file.fileName.keywordLetters
    if letters.isEmpty { return .none }
    if let known = self.letters[place] { return known.keywords(of: letters) }
    let read = try? DovecotKeywords.read(in: folder(place, path))
    self.letters[place] = read ?? DovecotKeywords()
    return self.letters[place]?.keywords(of: letters) ?? .none
  }
}
