import MailCore

extension ChosenFile {
  /// What a query says to mean the file's folder: `folder:INBOX`.
  var folderWord: String {
    // A name alone means its namesakes deeper in the tree, too.
    let isAmbiguous = copies.contains { $0.folderName.hasSuffix("/" + folderName) }
    let name = isAmbiguous ? "\(account)/\(folderName)" : folderName
    let isPlain = name.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"\"'()*&|;<>$`\\!?[]{}~#".utf8.contains(byte)
    }
    return isPlain ? "folder:\(name)" : "'folder:\"\(name)\"'"
  }

  /// How to be rid of this copy while another one stays.
  var removal: String {
    "`mirror delete id:\(message) \(folderWord)` takes the copy in \(folderName) away"
  }

  /// A folder that holds the message, as people name it.
  func name(of path: String) -> String {
    copies.first { $0.folder.text == path }?.folderName ?? path
  }
}
