import MIME

/// The first byte names a charset, the rest is text in it.
func tryCharset(_ bytes: UnsafeRawBufferPointer) {
  let labels = [
    nil, "utf-8", "iso-8859-1", "gb2312", "big5", "shift_jis", "iso-2022-jp", "euc-kr", "utf-7",
    "utf-16", "utf-16le", "hz-gb-2312", "koi8-r", "windows-1255", "x-unheard-of", "iso-2022-kr",
  ]
  guard let choice = bytes.first else { return }
  var text: [UInt8] = []
  Charset.appendUTF8(
    UnsafeRawBufferPointer(rebasing: bytes.dropFirst()), label: labels[Int(choice) % labels.count],
    into: &text)
  checkText(text, most: 16 * bytes.count)
  // What is UTF-8 already stays what it is.
  var again: [UInt8] = []
  text.withUnsafeBytes { _ = Charset.appendUTF8($0, label: "utf-8", into: &again) }
  let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  precondition(again == text || text.starts(with: mark), "text that changes when read again")
}

func tryHTML(_ bytes: UnsafeRawBufferPointer) {
  var page: [UInt8] = []
  Charset.appendUTF8(bytes, label: "utf-8", into: &page)
  for style in [HTMLText.Style.index, .show] {
    var text: [UInt8] = []
    let read = page.withUnsafeBytes {
      HTMLText.append($0, style: style, limit: 2000, into: &text)
    }
    checkText(text, most: 2000)
    for quote in read.quotes { precondition(quote.upperBound <= text.count, "a quote of nothing") }
  }
}

/// The first byte names an encoding, the rest is a body.
func tryTransfer(_ bytes: UnsafeRawBufferPointer) {
  let encodings = [
    TransferEncoding.identity, .quotedPrintable, .base64, .uuencode, .unknown,
  ]
  guard let choice = bytes.first else { return }
  let encoding = encodings[Int(choice) % encodings.count]
  let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  var whole: [UInt8] = []
  TransferDecoder.decode(body, encoding, into: &whole)
  // A uuencoded line says its length, up to 63 bytes, and blanks at its end may have been taken off.
  let most = encoding == .uuencode ? 32 : 3
  precondition(whole.count <= most * body.count + 64, "more than there is")
  var few: [UInt8] = []
  TransferDecoder.decode(body, encoding, into: &few, limit: 20)
  precondition(whole.starts(with: few) || few.starts(with: whole), "a limit changed the beginning")
  _ = UUEncode.blocks(in: body)
}
