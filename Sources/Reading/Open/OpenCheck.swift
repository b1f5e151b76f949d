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
///
/// What is opened without a question is a list of kinds; for all others a person decides.
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
    let isText = kind == .text || kind == .unknown
    if let document = FetchingDocument.of(name: name, mediaType: attachment.mediaType)
      ?? (isText ? FetchingDocument.of(content: content) : nil)
    {
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
    if kind == .html || isCalledPage { return .page }
    guard isListed(name, kind) else { throw .unlisted(name, kind) }
    if let trap = DocumentTrap.find(in: content, kind, ending: ending(of: name)) {
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

  /// Whether programs only show or play it; the content agrees with the name.
  private static func isListed(_ name: String, _ kind: ContentKind) -> Bool {
    guard let ending = ending(of: name) else { return shown.contains(kind) }
    return endings.contains(ending)
  }

  private static let endings = Set(
    """
    pdf png jpg jpeg jpe jfif gif webp bmp tif tiff heic heif avif rtf docx xlsx pptx odt ods odp odg doc xls ppt \
    mp3 ogg oga opus ogv wav flac mp4 m4a m4v mov avi mkv mka webm \
    txt text log csv tsv md patch diff ics vcf json xml yaml yml toml tex srt asc
    """.split(separator: " ").map(String.init))

  /// What the desktop knows by its content.
  private static let shown: Set<ContentKind> = [
    .pdf, .png, .jpeg, .gif, .webp, .bmp, .tiff, .mp3, .ogg, .wave, .flac, .mp4, .avi, .matroska,
  ]
}

/// Why something is not opened.
enum OpenError: Error, Equatable {
  /// Where it would lie for the program that opens it; `reason` is an errno.
  case directory(String, reason: Int32)
  case runs(String, ContentKind)
  case dangerous(String, DangerousType)
  case fetches(String, FetchingDocument)
  case disguised(String, String, ContentKind)
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
    case .disguised(let name, let type, let kind):
      Explanation(
        problem: "“\(name)” was sent as \(type) and is \(kind.words); it was not opened.",
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
