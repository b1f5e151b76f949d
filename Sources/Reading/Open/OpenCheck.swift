import MIME
import MailCore
import MailIndex

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether an attachment may be given to the desktop's programs: what it is and what its name makes of it have to be of one
/// class, and none of that may run or ask the network for something.
///
/// What is opened without a question is a list of classes; for all others a person decides.
enum OpenCheck {
  /// What is opened.
  enum Form {
    case file
    /// As pages of ours: what a browser would open, what a mail program would, and text that either could be made of.
    case page, message, text
  }

  /// - Parameter name: that the file will have: programs are chosen by it.
  @discardableResult
  static func look(
    at content: UnsafeRawBufferPointer, of attachment: FoundAttachment, savedAs name: String
  ) throws(OpenError) -> Form {
    var kind = ContentKind.of(content)
    let ending = ending(of: name)
    let ofName = ending.flatMap(OpenedClass.of)
    let isCalledPage = ending == "html" || ending == "htm" || attachment.mediaType == "text/html"
    // By that name browsers read XML as HTML.
    if kind == .markup, isCalledPage { kind = .html }
    let isCode = kind == .markup || kind == .partOfOther || kind == .html && !isCalledPage
    // Desktops that go by the content would have it run.
    let isShownAsText = isCode && ofName == .text
    if kind.runs, !isShownAsText { throw .runs(name, kind) }
    let warning = DangerousType.of(fileName: name, mediaType: attachment.mediaType)
    if let warning, warning != .archive { throw .dangerous(name, warning) }
    if let document = FetchingDocument.of(name: name, mediaType: attachment.mediaType) {
      throw .fetches(name, document)
    }
    if isShownAsText { return .text }
    if kind == .text || kind == .unknown, let document = FetchingDocument.of(content: content) {
      if ofName == .text, kind == .text { return .text }
      throw .fetches(name, document)
    }
    let isPageInText = kind == .html && isCalledPage && ofName == .text
    if let ofName, ofName.doubtfulKinds.contains(kind) { throw .unlisted(name, kind) }
    if let ofName, !ofName.kinds.contains(kind), !isPageInText { throw .disguised(name, kind) }
    if isMessage(attachment.mediaType, name) { return .message }
    if kind == .html || isCalledPage { return .page }
    guard ofName?.isHarmless ?? (ending == nil && shown.contains(kind)) else {
      throw .unlisted(name, kind)
    }
    if let trap = DocumentTrap.find(in: content, kind, ending: ending) {
      throw .holds(name, trap)
    }
    return .file
  }

  /// A name by which the desktop finds the right program: text without an ending could be anything to it.
  static func named(_ name: String, _ content: UnsafeRawBufferPointer) -> String {
    ending(of: name) == nil && ContentKind.of(content) == .text ? name + ".txt" : name
  }

  private static func isMessage(_ mediaType: String, _ name: String) -> Bool {
    mediaType == "message/rfc822" || mediaType == "message/global"
      || name.lowercased().hasSuffix(".eml")
  }

  private static func ending(of name: String) -> String? {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
  }

  /// What the desktop knows by its content.
  private static let shown = OpenedClass.document.kinds.union(OpenedClass.picture.kinds)
    .union(OpenedClass.media.kinds)
}

/// Why something is not opened.
enum OpenError: Error, Equatable {
  /// Where it would lie for the program that opens it; `reason` is an errno.
  case directory(String, reason: Int32)
  case runs(String, ContentKind)
  case dangerous(String, DangerousType)
  case fetches(String, FetchingDocument)
  case disguised(String, ContentKind)
  /// It is not known here what its program does.
  case unlisted(String, ContentKind)
  case holds(String, DocumentTrap)
  /// How many there are.
  case several(Int)
  case none
  case noProgram(String)
  /// The program that opens files, and its exit status.
  case failed(String, Int32)
}

extension OpenError {
  /// The question after which a person may open it all the same; nil where there is none.
  var question: String? {
    switch self {
    case .unlisted(let name, let kind):
      "“\(name.readable)” (\(kind.words)) is none of the kinds that only show something. Open it?"
    case .holds(let name, let trap): "“\(name.readable)” \(trap.words). Open it?"
    case .directory, .runs, .dangerous, .fetches, .disguised, .several, .none, .noProgram, .failed:
      nil
    }
  }
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
    case .disguised(let name, let kind):
      Explanation(
        problem: "“\(name)” is \(kind.words), and not what its name says; it was not opened.",
        remedy: Self.saving, exitStatus: .badData)
    case .unlisted(let name, let kind):
      Explanation(
        problem:
          "“\(name)” (\(kind.words)) is none of the kinds that are opened without a question; it was not opened.",
        remedy: Self.saving, exitStatus: .badData)
    case .holds(let name, let trap):
      Explanation(
        problem: "“\(name)” \(trap.words); it was not opened.", remedy: Self.saving,
        exitStatus: .badData)
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
