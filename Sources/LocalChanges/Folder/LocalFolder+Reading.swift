import Maildir

extension LocalFolder {
  /// No header is that long; a message whose is gets downloaded.
  package static let longestHeader = 4 << 20

  /// Nil where a reader renamed or removed the file just now, or it cannot be read.
  package func header(of file: MessageFile) throws(MaildirError) -> [UInt8]? {
    do throws(MaildirError) {
      return try folder.header(of: file, policy: policy, limit: Self.longestHeader)
    } catch {
      if error.stopsRun { throw error }
      return nil
    }
  }

  /// Nil where a reader renamed or removed the file just now, or it cannot be read.
  package func digest(of file: MessageFile) throws(MaildirError) -> MessageDigest? {
    do throws(MaildirError) {
      return try folder.digest(of: file, policy: policy)
    } catch {
      if error.stopsRun { throw error }
      return nil
    }
  }
}
