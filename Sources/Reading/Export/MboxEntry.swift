import MIME
import MailIndex

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One message of an mbox as mboxrd has it: a `From ` line, the lines with one `>` more on each that begins with any number
/// of `>` and then `From `, and an empty line. Without that one `>` they are as they were; all end with LF alone, whatever
/// the file has.
enum MboxEntry {
  static func append(
    _ message: UnsafeRawBufferPointer, of hit: SearchHit, to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: separator(sender: hit.from, date: hit.date).utf8)
    appendQuoted(message, to: &bytes)
    if message.last != lineFeed { bytes.append(lineFeed) }
    bytes.append(lineFeed)
  }

  /// `From alice@example.org Fri Nov 21 09:30:00 2025`, in UTC.
  static func separator(sender: String, date: Int64) -> String {
    let time = CivilTime(utc: date)
    let clock = [time.hour, time.minute, time.second].map { ($0 < 10 ? "0" : "") + String($0) }
    let day = (time.day < 10 ? " " : "") + String(time.day)
    return "From \(address(in: sender)) \(time.weekdayName) \(time.monthName) \(day) "
      + "\(clock.joined(separator: ":")) \(time.year)\n"
  }

  /// Of `Name <a@b>` or `a@b`; one word in any case.
  private static func address(in sender: String) -> String {
    var address = Substring(sender)
    if address.last == ">", let open = address.lastIndex(of: "<") {
      address = address[address.index(after: open)...].dropLast()
    }
    let isWord = !address.isEmpty && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    return isWord ? String(address) : "MAILER-DAEMON"
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let mark = Array("From ".utf8)

  private static func appendQuoted(_ message: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + message.count + 64)
    var rest = message
    while let start = rest.baseAddress, !rest.isEmpty {
      let feed = memchr(start, Int32(lineFeed), rest.count)
      let end = feed.map { UnsafeRawPointer($0) - start + 1 } ?? rest.count
      let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
      if line.drop(while: { $0 == UInt8(ascii: ">") }).starts(with: mark) {
        bytes.append(UInt8(ascii: ">"))
      }
      if line.dropLast().last == carriageReturn, line.last == lineFeed {
        bytes.append(contentsOf: line.dropLast(2))
        bytes.append(lineFeed)
      } else {
        bytes.append(contentsOf: line)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[end...])
    }
  }
}
