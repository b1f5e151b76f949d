#if os(Linux)
  import Glibc
  import Maildir

  /// An inotify(7) instance.
  final class Inotify {
    let descriptor: Int32

    /// What one read call hands over at most; a name takes 255 bytes.
    private static let room = 64 * 1024
    /// About what the system keeps: events without end hold nobody up.
    private static let mostReads = 64

    init() throws(NoWatching) {
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      if descriptor >= 0 { return }
      throw errno == EMFILE ? .noInstanceLeft : .system(call: "inotify_init1", code: errno)
    }

    deinit { close(descriptor) }

    /// The watch's number, the same again for a directory that has one. Nil where the directory is not there any more.
    func watch(_ directory: Directory, _ events: UInt32) throws(NoWatching) -> Int32? {
      // By its descriptor: whatever has its path by now, this one is watched.
      try watch(path: "/proc/self/fd/\(directory.descriptor)", events)
    }

    func watch(path: String, _ events: UInt32) throws(NoWatching) -> Int32? {
      let wanted = events | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
      let number = inotify_add_watch(descriptor, path, wanted)
      if number >= 0 { return number }
      switch errno {
      case ENOSPC: throw .noWatchLeft
      case ENOENT: return nil
      default: throw .system(call: "inotify_add_watch", code: errno)
      }
    }

    func unwatch(_ number: Int32) { _ = inotify_rm_watch(descriptor, number) }

    /// Reads what has happened, without waiting.
    func read(_ body: (TreeEvent) -> Void) {
      withUnsafeTemporaryAllocation(byteCount: Self.room, alignment: 8) { buffer in
        for _ in 0..<Self.mostReads {
          let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { return }
          TreeEvent.forEach(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]), body)
        }
      }
    }
  }

  /// One event; the name is valid during the call only.
  struct TreeEvent {
    let watch: Int32
    let mask: UInt32
    /// Empty where the event is the directory's own.
    let name: UnsafeRawBufferPointer

    var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
    /// The watched directory has gone, or is called something else.
    var isOfWatch: Bool {
      mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0
    }
    var isEnd: Bool { mask & UInt32(IN_IGNORED) != 0 }
    var isOfDirectory: Bool { mask & UInt32(IN_ISDIR) != 0 }
    var kind: OwnWrites.Kind? {
      if mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 { return .came }
      return mask & UInt32(IN_DELETE | IN_MOVED_FROM) != 0 ? .went : nil
    }

    /// struct inotify_event: watch, mask, cookie, length, each of 4 bytes; then the name, filled up with NULs.
    static func forEach(in bytes: UnsafeRawBufferPointer, _ body: (TreeEvent) -> Void) {
      var place = 0
      while place + 16 <= bytes.count {
        let length = Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
        let name = bytes[(place + 16)..<(place + 16 + length)].prefix { $0 != 0 }
        body(
          TreeEvent(
            watch: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self),
            mask: bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self),
            name: UnsafeRawBufferPointer(rebasing: name)))
        place += 16 + length
      }
    }
  }
#endif
