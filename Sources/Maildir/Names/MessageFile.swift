import MailCore

/// The two directories of a Maildir that hold messages.
package enum Subdirectory: UInt8, Sendable, Hashable, CaseIterable {
  case new, cur

  package var name: String {
    switch self {
    case .new: "new"
    case .cur: "cur"
    }
  }
}

/// A message's place within its folder, as last seen; a mail reader may rename it at any moment.
package struct MessageFile: Hashable, Sendable, CustomStringConvertible {
  package var subdirectory: Subdirectory
  package var name: [UInt8]

  package init(subdirectory: Subdirectory, name: [UInt8]) {
    self.subdirectory = subdirectory
    self.name = name
  }

  package var fileName: MaildirFileName { MaildirFileName(name) }
  package var base: [UInt8] {
    name.withUnsafeBytes { Array($0[..<MaildirFileName.baseLength(of: $0)]) }
  }
  package var baseHash: NameHash {
    name.withUnsafeBytes {
      NameHash(of: UnsafeRawBufferPointer(rebasing: $0[..<MaildirFileName.baseLength(of: $0)]))
    }
  }
  package var description: String {
    subdirectory.name + "/" + String(decoding: name, as: UTF8.self)
  }
}
