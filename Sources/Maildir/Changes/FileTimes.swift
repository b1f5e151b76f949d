#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension MaildirFolder {
  /// Sets the file's modification time to its message's INTERNALDATE (Unix seconds).
  package func setModified(_ seconds: Int64, of file: MessageFile) throws(MaildirError) {
    let source = try MessageSource.open(file, in: self)
    try source.descriptor.setModificationTime(
      FileTime.nanoseconds(seconds), path: source.path)
  }
}
