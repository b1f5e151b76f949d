import MIME
import MailCore
import MailIndex

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether an attachment may be given to the desktop's programs: its name, its declared type and its content have to
/// agree, and none of them may run or ask the network for something.
enum OpenCheck {
  /// What is opened.
  enum Form { case file, page, message }

  /// - Parameter name: that the file will have: programs are chosen by it.
  /// - Returns: `page` for what a browser would open, `message` for what a mail program would: neither goes there as it is.
  @discardableResult
  static func look(
    at content: UnsafeRawBufferPointer, of attachment: FoundAttachment, savedAs name: String
  ) throws(OpenError) -> Form {
    var kind = ContentKind.of(content)
    let isCalledPage =
      name.lowercased().hasSuffix(".html") || name.lowercased().hasSuffix(".htm")
      || attachment.mediaType == "text/html"
    // By that name browsers read XML as HTML.
    if kind == .markup, isCalledPage { kind = .html }
    if kind.runs { throw .runs(name, kind) }
    let warning = DangerousType.of(fileName: name, mediaType: attachment.mediaType)
    if let warning, warning != .archive { throw .dangerous(name, warning) }
    if let document = FetchingDocument.of(name: name, mediaType: attachment.mediaType) {
      throw .fetches(name, document)
    }
    for expected in [
      ContentKind.expected(ofName: name), ContentKind.expected(ofType: attachment.mediaType),
    ] {
      if let expected, !expected.contains(kind) {
        throw .disguised(name, attachment.mediaType, kind)
      }
    }
    if isMessage(attachment.mediaType, name) { return .message }
    return kind == .html || isCalledPage ? .page : .file
  }

  private static func isMessage(_ mediaType: String, _ name: String) -> Bool {
    mediaType == "message/rfc822" || mediaType == "message/global"
      || name.lowercased().hasSuffix(".eml")
  }
}

/// Why something is not opened.
enum OpenError: Error, Equatable {
  /// Where it would lie for the program that opens it; `reason` is an errno.
  case directory(String, reason: Int32)
  case runs(String, ContentKind)
  case dangerous(String, DangerousType)
  case fetches(String, FetchingDocument)
  case disguised(String, String, ContentKind)
  /// How many there are.
  case several(Int)
  case none
  case noProgram(String)
  /// The program that opens files, and its exit status.
  case failed(String, Int32)
}

extension OpenError: Explained {
  var explanation: Explanation {
    switch self {
    case .directory(let path, let reason):
      Explanation(
        problem: "“\(path)” cannot hold what is opened: \(String(cString: strerror(reason))).",
        remedy: "The directory has to be yours and closed to others; remove it, or set TMPDIR.",
        exitStatus: reason == EPERM || reason == EACCES ? .refused : .inPart)
    case .runs(let name, let kind):
      Explanation(
        problem: "“\(name)” is \(kind.words); it was not opened.", remedy: Self.saving,
        exitStatus: .badData)
    case .dangerous(let name, let type):
      Explanation(
        problem: "“\(name)” may do harm (\(type.warning)); it was not opened.",
        remedy: Self.saving, exitStatus: .badData)
    case .fetches(let name, let document):
      Explanation(
        problem:
          "“\(name)” is \(document.words), whose program fetches what it names; it was not opened.",
        remedy: Self.saving, exitStatus: .badData)
    case .disguised(let name, let type, let kind):
      Explanation(
        problem: "“\(name)” was sent as \(type) and is \(kind.words); it was not opened.",
        remedy: Self.saving, exitStatus: .badData)
    case .several(let count):
      Explanation(
        problem: "There are \(count) attachments; --open takes one.",
        remedy: "Say which with --part; the list shows the sections in brackets.",
        exitStatus: .usage)
    case .none:
      Explanation(
        problem: "No attachment was found.", remedy: "`attachments` lists them.",
        exitStatus: .inPart)
    case .noProgram(let name):
      Explanation(
        problem: "There is no program “\(name)” to open files with.",
        remedy: "Install xdg-utils, or use --save.", exitStatus: .inPart)
    case .failed(let name, let status):
      Explanation(
        problem: "“\(name)” ended with \(status).",
        remedy: "No program may be set for files of that kind; --save writes it.",
        exitStatus: .inPart)
    }
  }

  private static let saving = "`attachments --save DIR` writes it, if you trust who sent it."
}
