/// Files that programs of one sort open: which of them it is in truth does no harm.
///
/// The ending of a name decides which program opens a file, so what is in it has to be of that program's class. What a mail
/// declares it as decides nothing.
enum OpenedClass: CaseIterable {
  case document, picture, media, office, oldWord, oldSheet, oldSlides, text, message, page
  case postScript, archive

  /// Nil where the ending promises nothing that is known here.
  static func of(ending: String) -> OpenedClass? { byEnding[ending] }

  /// What programs of this class are made for.
  var kinds: Set<ContentKind> {
    switch self {
    case .document: [.pdf]
    case .picture: [.png, .jpeg, .gif, .webp, .bmp, .tiff, .heif, .icon]
    case .media: [.mp3, .aac, .amr, .ogg, .wave, .flac, .mp4, .mpeg, .avi, .matroska]
    // Whatever of these it is, it is looked into for what it is (`DocumentTrap`).
    case .office: [.zip, .ole, .rtf]
    case .oldWord: [.ole, .rtf, .zip]
    case .oldSheet: [.ole, .zip]
    case .oldSlides: [.ole, .zip]
    case .text, .message: [.text, .empty]
    case .page: [.html, .text]
    case .postScript: [.postScript]
    case .archive: [.zip, .gzip, .sevenZip, .rar, .bzip2, .xz]
    }
  }

  /// What other programs send under such a name, and these programs read as they like: as a page with what it loads, or as
  /// a sheet with its commands. A person decides.
  var doubtfulKinds: Set<ContentKind> {
    switch self {
    case .oldWord, .oldSheet: [.html, .text]
    default: []
    }
  }

  /// Whether they only show or play it.
  var isHarmless: Bool {
    switch self {
    case .document, .picture, .media, .office, .oldWord, .oldSheet, .oldSlides, .text, .message:
      true
    case .page, .postScript, .archive: false
    }
  }

  private var endings: String {
    switch self {
    case .document: "pdf"
    case .picture:
      "png jpg jpeg jpe jfif gif webp bmp tif tiff heic heif avif ico"
    case .media:
      "mp3 aac amr ogg oga opus ogv wav flac mp4 m4a m4v mov 3gp 3g2 mpg mpeg avi mkv mka webm"
    case .office: "docx xlsx pptx odt ods odp odg rtf"
    case .oldWord: "doc"
    case .oldSheet: "xls"
    case .oldSlides: "ppt"
    case .text:
      "txt text log csv tsv md patch diff ics vcf json xml yaml yml toml tex srt asc"
    case .message: "eml"
    case .page: "html htm xhtml"
    case .postScript: "ps eps"
    case .archive: "zip gz tgz 7z rar bz2 xz epub"
    }
  }

  private static let byEnding: [String: OpenedClass] = {
    var table: [String: OpenedClass] = [:]
    for found in allCases {
      for ending in found.endings.split(separator: " ") { table[String(ending)] = found }
    }
    return table
  }()
}
