#if os(Linux)
  import Glibc
  import MailCore
  import Maildir

  /// One directory that is watched, and what its events mean.
  struct Watch: Equatable {
    let account: String
    let role: Role
    let directory: DirectoryIdentity

    enum Role: Equatable {
      /// Folders lie in it, or may come, or it is a Maildir's own: only its directories count.
      case folders(FolderPath)
      case messages(FolderPath, Subdirectory)
      /// Messages or records of the send queue.
      case outbox
      /// It lacks a directory of the send queue.
      case outboxParent
    }
  }

  extension Watch.Role {
    var events: UInt32 {
      let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
      return switch self {
      case .folders: itself | UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
      case .messages:
        itself
          | UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE)
      case .outbox: itself | UInt32(IN_MOVED_TO)
      case .outboxParent: itself | UInt32(IN_CREATE | IN_MOVED_TO)
      }
    }
  }
#endif
