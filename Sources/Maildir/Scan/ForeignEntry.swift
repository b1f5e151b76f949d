#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What can lie in `new` or `cur` and is no message's file.
package enum ForeignEntry: Sendable, Equatable {
  case pipe, socket, device, linkToDirectory
  /// A symbolic link whose target is not there, now at least.
  case danglingLink
  /// From ``MessageBuffer/largest`` bytes on.
  case tooLarge

  /// Whether there may be a message in it for all that.
  package var mayBeMail: Bool {
    switch self {
    case .danglingLink, .tooLarge: true
    case .pipe, .socket, .device, .linkToDirectory: false
    }
  }

  var words: String {
    switch self {
    case .pipe: "a named pipe and no message"
    case .socket: "a socket and no message"
    case .device: "a device and no message"
    case .linkToDirectory: "a link to a directory and no message"
    case .danglingLink: "a symbolic link to a file that is not there"
    case .tooLarge: "2 GB or larger, which is more than a message can have"
    }
  }

  var remedy: String? {
    switch self {
    case .danglingLink: "Bring its target back, or remove the link."
    case .tooLarge: nil
    case .pipe, .socket, .device, .linkToDirectory: "It does not belong in a Maildir."
    }
  }

  /// Nil for a file that may be a message.
  init?(_ facts: FileFacts) {
    switch mode_t(facts.mode) & S_IFMT {
    case S_IFREG:
      guard facts.size >= MessageBuffer.largest else { return nil }
      self = .tooLarge
    case S_IFIFO: self = .pipe
    case S_IFSOCK: self = .socket
    case S_IFDIR: self = .linkToDirectory
    default: self = .device
    }
  }
}

extension Directory {
  /// What the entry is that could not be opened as a file; nil where that has other reasons.
  func foreignEntry(_ name: some FileName) throws(MaildirError) -> ForeignEntry? {
    if let facts = try facts(name) { return ForeignEntry(facts) }
    var status = stat()
    let isThere = try name.withName { name throws(MaildirError) in
      fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }
    return isThere && status.st_mode & S_IFMT == S_IFLNK ? .danglingLink : nil
  }
}

extension FolderEntries {
  /// Why a file can never be indexed as it is; nil where an update would try.
  package static func foreign(_ file: MessageFile, in folder: MaildirFolder) -> MaildirError? {
    let directory = folder.directory(of: file.subdirectory)
    guard let entry = (try? directory.foreignEntry(file.name)) ?? nil else { return nil }
    return .noMessage(path: directory.path + "/" + file.name.forPeople, entry)
  }
}
