import Maildir

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Something that was left out, and why.
package struct IndexProblem: Sendable, Equatable {
  /// Below the root.
  package let path: String
  package let error: MaildirError

  package init(path: String, error: MaildirError) {
    self.path = path
    self.error = error
  }

  /// False for what lies among messages and can be none: a pipe, a device.
  package var isMail: Bool {
    guard case .noMessage(_, let entry) = error else { return true }
    return entry.mayBeMail
  }

  /// Whether it may go well another time: not what is no file, or too large.
  var mayPass: Bool {
    switch error {
    case .badName, .nameNotText: false
    case .noMessage(_, let entry): entry == .danglingLink
    case .system(_, _, let code): code != EFBIG
    default: true
    }
  }
}
