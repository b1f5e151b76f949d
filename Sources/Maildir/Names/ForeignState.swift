import MailCore

/// What mbsync left in a folder besides the names.
package enum ForeignState {
  /// The UIDVALIDITY that the `,U=` of the folder's names belong to.
  ///
  /// With `SyncState *` mbsync keeps the server's in `.mbsyncstate`; `.uidvalidity` is of its own
  /// making, and the UIDs in the names are too: they are the server's only through the state's
  /// pairs. So the state decides.
  package static func mbsyncPairs(in folder: MaildirFolder) throws(MaildirError) -> MbsyncPairs? {
    guard let bytes = try OwnFile.read(".mbsyncstate", in: folder.directory, atMost: 64 << 20)
    else { return nil }
    return MbsyncPairs(bytes)
  }

  /// The first line of `.uidvalidity`: mbsync's own UIDVALIDITY of the folder.
  package static func localUIDValidity(in folder: MaildirFolder) throws(MaildirError)
    -> UIDValidity?
  {
    guard let bytes = try OwnFile.read(".uidvalidity", in: folder.directory, atMost: 4096) else {
      return nil
    }
    var digits = bytes[...]
    return digits.takeUInt32().map { UIDValidity($0) }
  }
}

/// mbsync's state file (also found outside the tree, by mbsync's `SyncState`): which local UID
/// (`,U=`) is which UID on the server.
package struct MbsyncPairs: Equatable, Sendable {
  /// Of the far side, the server in the usual set-up.
  package var uidValidity: UIDValidity
  package var remoteUIDs: [UID: UID]

  /// Header lines `Name value`, an empty line, then `far near flags` a line. Nil when the header
  /// has no `FarUidValidity` (`MasterUidValidity` before 1.4).
  package init?(_ bytes: [UInt8]) {
    var validity: UIDValidity?
    remoteUIDs = [:]
    for line in bytes.split(separator: ASCII.lf) {
      var rest = line
      if let far = rest.takeUInt32(), rest.take(ASCII.space), let near = rest.takeUInt32() {
        // 0 stands for a message that one side lost.
        if far > 0, near > 0 { remoteUIDs[UID(near)] = UID(far) }
        continue
      }
      for key in ["FarUidValidity ", "MasterUidValidity "] where line.starts(with: key.utf8) {
        var value = line.dropFirst(key.utf8.count)
        validity = value.takeUInt32().map { UIDValidity($0) }
      }
    }
    guard let validity else { return nil }
    uidValidity = validity
  }
}
