import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What can go wrong with the tree. Paths are for people; they play no part in the handling.
package enum MaildirError: Error, Equatable, Sendable {
  /// The file system, or its supply of inodes, is full. `needed` counts the bytes of the message at
  /// hand.
  case noSpace(path: String, needed: UInt64, free: UInt64)
  /// The user's quota is used up.
  case overQuota(path: String, needed: UInt64)
  case readOnly(path: String)
  case notPermitted(path: String)
  /// The account's directory is not there: an unmounted disk, or a wrong path.
  case treeVanished(path: String)
  /// No whole Maildir: tmp, new or cur is missing.
  case notMaildir(path: String)
  /// The message file went away or changed its name since the caller looked: scan again.
  case vanished(name: String)
  /// The file no longer holds the message that the caller knows.
  case changed(name: String)
  /// Every name that could be given to the file exists already.
  case nameTaken(name: String)
  /// All 26 letters of the folder are other keywords', or the name can stand in no `dovecot-keywords`.
  case noLetter(folder: String, keyword: String)
  /// A name that cannot stand in a directory.
  case badName(String)
  /// A directory with Maildirs whose name is no UTF-8: no index can name them.
  case nameNotText(path: String, folders: Int)
  /// What lies among messages and is no file that could be one.
  case noMessage(path: String, ForeignEntry)
  /// Another run holds the account.
  case locked(holder: String)
  /// The folder still holds messages.
  case notEmpty(path: String)
  /// Any other failure of a system call.
  case system(call: String, path: String, code: Int32)

  /// The error of a call that just failed, told apart by `errno`.
  package static func failed(
    _ call: String, _ path: String, needed: UInt64 = 0, descriptor: Int32 = -1,
    code: Int32 = errno
  ) -> MaildirError {
    switch code {
    case ENOSPC:
      .noSpace(path: path, needed: needed, free: FileSystemFacts(descriptor)?.freeBytes ?? 0)
    case EDQUOT: .overQuota(path: path, needed: needed)
    case EROFS: .readOnly(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    default: .system(call: call, path: path, code: code)
    }
  }

  /// There is no room on the disk, or none for this user.
  package var isShortage: Bool {
    switch self {
    case .noSpace, .overQuota: true
    default: false
    }
  }

  /// A full disk or a read-only one stops the whole run; other failures concern one message or
  /// folder.
  package var stopsRun: Bool {
    switch self {
    case .noSpace, .overQuota, .readOnly, .treeVanished, .locked: true
    case .notPermitted, .notMaildir, .vanished, .changed, .nameTaken, .noLetter, .badName,
      .nameNotText, .notEmpty, .noMessage:
      false
    case .system(_, _, let code): code == EIO || code == ENODEV || code == ESTALE
    }
  }
}

extension MaildirError: Explained {
  package var explanation: Explanation {
    switch self {
    case .noSpace(let path, let needed, let free):
      Explanation(
        problem: "The disk with “\(path.visible)” is full: \(Self.shortage(needed, free)).",
        remedy: "Make room: what is here stays, and the next run brings the rest.",
        exitStatus: .inPart)
    case .overQuota(let path, let needed):
      Explanation(
        problem:
          "Your disk quota is used up at “\(path.visible)”; the next message needs \(needed) bytes.",
        remedy: "Make room: what is here stays, and the next run brings the rest.",
        exitStatus: .inPart)
    case .readOnly(let path):
      Explanation(
        problem: "“\(path.visible)” lies on a file system that is mounted read-only.",
        remedy: "Mount it writable; nothing was judged deleted.", exitStatus: .refused)
    case .notPermitted(let path):
      Explanation(
        problem: "The system does not permit the work on “\(path.visible)”.",
        remedy: "Check who owns it and its permissions.", exitStatus: .refused)
    case .treeVanished(let path):
      Explanation(
        problem: "The mail directory “\(path.visible)” is not there.",
        remedy:
          "Mount its disk, or correct the configuration's root; nothing was judged deleted.",
        exitStatus: .configuration)
    case .notMaildir(let path):
      Explanation(
        problem: "“\(path.visible)” is no whole Maildir: it needs tmp, new and cur.",
        remedy: "Restore the missing directory (an empty one, if nothing is left of it).",
        exitStatus: .inPart)
    case .vanished(let name):
      Explanation(
        problem: "The file “\(name.visible)” went away, or got another name, during the run.",
        again: "Run again.", exitStatus: .inPart)
    case .changed(let name):
      Explanation(
        problem: "The file “\(name.visible)” no longer holds the message it held.",
        again: "Run again.", exitStatus: .inPart)
    case .nameTaken(let name):
      Explanation(
        problem: "No free name is left for the file “\(name.visible)”; nothing was replaced.",
        remedy: "Look at the files of that name in the folder.", exitStatus: .inPart)
    case .noLetter(let folder, let keyword):
      Explanation(
        problem: "“\(folder.visible)” has no letter left for the keyword “\(keyword.visible)”.",
        remedy: "A folder has 26 letters; with keywords = \"header\" there is no limit.",
        exitStatus: .inPart)
    case .badName(let name):
      Explanation(
        problem: "“\(name.visible)” cannot be the name of a file here.", exitStatus: .inPart)
    case .nameNotText(let path, let folders):
      Explanation(
        problem: "The name of “\(path.visible)” is no UTF-8; the mail of "
          + "\(folders == 1 ? "the folder" : "\(folders) folders") there is left out.",
        remedy: "Rename the directory, for example with convmv(1).", exitStatus: .inPart)
    case .noMessage(let path, let entry):
      Explanation(
        problem: "“\(path.visible)” is \(entry.words): it is left out.", remedy: entry.remedy,
        exitStatus: .inPart)
    case .locked(let holder):
      Explanation(
        problem: "Another run is at work on this account: \(holder.visible).",
        again: "Wait until it is done and run again.", exitStatus: .busy)
    case .notEmpty(let path):
      Explanation(
        problem: "The folder “\(path.visible)” still holds messages and was left alone.",
        exitStatus: .inPart)
    case .system(let call, let path, let code):
      Explanation(
        problem: "\(call) failed on “\(path.visible)”: \(String(cString: strerror(code))).",
        exitStatus: .inPart)
    }
  }

  private static func shortage(_ needed: UInt64, _ free: UInt64) -> String {
    needed > free
      ? "the next message needs \(needed) bytes, \(needed - free) more than there are"
      : "\(free) bytes are free, but no more files can be made or the room is reserved"
  }
}
