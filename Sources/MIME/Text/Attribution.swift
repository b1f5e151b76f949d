/// The words by which mail programs introduce what they quote, in many languages.
enum Attribution {
  private static let longest = 400

  /// Whether a line, or up to three joined, introduces the quotation right below: it ends in a colon and names a time,
  /// an address, or a verb of writing.
  static func isAttribution(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count <= longest, endsLikeOne(text) else { return false }
    if text.contains(ASCII.at) { return true }
    let lowered = text.map(ASCII.lowered)
    if verbs.contains(where: { lowered.holds($0) }) { return true }
    return text.contains(where: ASCII.isDigit) && startsLikeOne(lowered)
  }

  /// Whether the introduction is beyond doubt, so that what follows counts as quoted without marks.
  static func isStrongAttribution(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count <= longest, endsLikeOne(text), text.contains(where: ASCII.isDigit) else {
      return false
    }
    let lowered = text.map(ASCII.lowered)
    return opens(text) && verbs.contains { lowered.holds($0) }
  }

  /// Whether a text begins with one of the words that introduce a quotation, or with a date.
  static func opens(_ text: UnsafeRawBufferPointer) -> Bool {
    if let first = text.first(where: { $0 > ASCII.space }), ASCII.isDigit(first) { return true }
    return startsLikeOne(text.prefix(40).map(ASCII.lowered))
  }

  /// Whether the last visible character is a colon; asterisks of bold type do not count.
  static func endsLikeOne(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let end = text.lastIndex(where: { $0 > ASCII.space && $0 != UInt8(ascii: "*") }) else {
      return false
    }
    return isColon(text, at: end)
  }

  /// “-----Original Message-----” and its kin; what was forwarded is not meant.
  static func isOriginalSeparator(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count < 120,
      line.hasPrefix("--", at: 0, to: line.count) || line.hasPrefix("__", at: 0, to: line.count)
    else { return false }
    let words = String(decoding: line, as: UTF8.self).lowercased()
      .trimming { $0 == "-" || $0 == "_" || $0.isWhitespace || $0 == "\u{A0}" }
    return originals.contains {
      words == $0 || words.hasPrefix($0) && words.utf8.count < $0.utf8.count + 40
    }
  }

  /// “---------- Forwarded message ----------”, “Begin forwarded message:” and their kin.
  static func isForwardSeparator(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count < 120 else { return false }
    let isDashed = line.hasPrefix("--", at: 0, to: line.count)
    if isDashed, line.contains(where: { $0 >= 0x80 || ASCII.isLetter($0) }) { return true }
    let lowered = line.map(ASCII.lowered)
    return forwards.contains { lowered.holds($0) }
  }

  /// A line `From: …` in one of many languages.
  static func opensHeaderBlock(_ line: UnsafeRawBufferPointer) -> Bool {
    label(line).map { fromLabels.contains($0) } ?? false
  }

  /// A line of such a header block.
  static func isHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    label(line).map { otherLabels.contains($0) } ?? false
  }

  /// The lower-case word before the first colon, without the marks of bold type.
  private static func label(_ line: UnsafeRawBufferPointer) -> String? {
    let head = line.prefix(40)
    var end = head.startIndex
    while end < head.endIndex, !isColon(line, at: end) { end += 1 }
    guard end < head.endIndex, end > 0 else { return nil }
    // The full-width colon takes three bytes, the last of which `isColon` looks at.
    let stop = line[end] == ASCII.colon ? end : end - 2
    guard stop > 0 else { return nil }
    return String(decoding: line[..<stop], as: UTF8.self).lowercased()
      .trimming { $0 == "*" || $0.isWhitespace || $0 == "\u{A0}" }
  }

  private static func startsLikeOne(_ lowered: [UInt8]) -> Bool {
    let trimmed = lowered.drop { $0 <= ASCII.space || $0 == UInt8(ascii: "*") }
    return starts.contains { trimmed.starts(with: $0) }
  }

  /// `:` or the last byte of `：` (U+FF1A).
  private static func isColon(_ text: UnsafeRawBufferPointer, at index: Int) -> Bool {
    if text[index] == ASCII.colon { return true }
    return index >= 2 && text[index] == 0x9A && text[index - 1] == 0xBC && text[index - 2] == 0xEF
  }

  private static let starts = [
    "on ", "am ", "le ", "el ", "il ", "em ", "op ", "w dniu ", "dnia ", "den ", "på ", "pe ",
    "în ", "på ", "kl. ", "no dia ",
    "in article ", "in message ", "at ", "quoting ", "citat ", "dne ", "dňa ", "u ", "po ", "vào ",
    "pada ", "në ", "στις ",
    "от ", "em seg", "em ter", "em qua", "em qui", "em sex", "em sáb", "em dom", "el ", "le ",
    "a las ", "mon,", "tue,", "wed,",
    "thu,", "fri,", "sat,", "sun,", "пн,", "вт,", "ср,", "чт,", "пт,", "сб,", "вс,", "yb ", "ons ",
    "tir ", "man ", "tor ", "fre ",
    "lør ", "søn ", "mån ", "tis ", "lör ", "sön ", "v ",
  ].map { Array($0.utf8) }

  private static let verbs = [
    "wrote", "writes", "said", "schrieb", "écrit", "ecrit", "escribió", "escribio", "ha scritto",
    "scrisse", "escreveu", "schreef",
    "geschreven", "napisał", "pisze", "skrev", "skrifaði", "kirjoitti", "írta", "napsal", "napísal",
    "a scris", "написал", "писал", "пишет",
    "написав", "пише", "έγραψε", "yazdı", "đã viết", "menulis", "写道", "寫道", "のメール", "書きました",
    "wrote", "作成", "작성", "kirjutas",
    "rašė", "rakstīja", "je napisao", "је написао", "quoting", "כתב", "كتب", "va escriure",
  ].map { Array($0.utf8) }

  private static let forwards = [
    "forwarded", "weitergeleitet", "transféré", "reenviad", "inoltrat", "encaminhad",
    "doorgestuurd", "przekazan",
    "пересылаем", "пересланн", "vidarebefordra", "videresend", "välitetty", "転送", "转发", "轉寄", "전달",
  ].map { Array($0.utf8) }

  private static let originals = [
    "original message", "original-nachricht", "ursprüngliche nachricht", "originalnachricht",
    "message d'origine", "message d’origine",
    "message original", "mensaje original", "messaggio originale", "mensagem original",
    "oorspronkelijk bericht", "originele bericht",
    "wiadomość oryginalna", "oryginalna wiadomość", "исходное сообщение", "оригинальное сообщение",
    "original meddelelse",
    "oprindelig meddelelse", "opprinnelig melding", "ursprungligt meddelande", "originalmeddelande",
    "alkuperäinen viesti",
    "původní zpráva", "pôvodná správa", "eredeti üzenet", "mesaj original", "orijinal mesaj",
    "αρχικό μήνυμα", "原始邮件", "原始郵件", "邮件原件",
    "原邮件", "元のメッセージ", "원본 메시지", "reply message", "reply above this line", "appended message",
  ]

  private static let fromLabels: Set<String> = [
    "from", "von", "de", "da", "van", "od", "от", "от кого", "från", "fra", "lähettäjä", "feladó",
    "kimden", "από", "发件人", "寄件者", "寄件人",
    "差出人", "보낸 사람", "보낸사람", "expéditeur", "remitente", "mittente", "від", "de la", "pengirim",
    "người gửi", "מאת", "من",
  ]

  private static let otherLabels: Set<String> = [
    "sent", "date", "to", "cc", "subject", "gesendet", "datum", "an", "betreff", "envoyé",
    "envoyé le", "à", "objet", "enviado", "enviado el",
    "enviada em", "fecha", "para", "asunto", "assunto", "data", "inviato", "a", "oggetto",
    "verzonden", "aan", "onderwerp", "wysłano", "do", "temat",
    "отправлено", "дата", "кому", "тема", "skickat", "till", "ämne", "sendt", "til", "emne",
    "lähetetty", "vastaanottaja", "aihe", "küldve", "címzett",
    "tárgy", "odesláno", "komu", "předmět", "gönderilme", "kime", "konu", "发送时间", "收件人", "主题", "抄送",
    "寄件日期", "傳送時間", "收件者", "主旨", "副本", "日期",
    "送信日時", "宛先", "件名", "日付", "보낸 날짜", "받는 사람", "제목", "참조", "reply-to", "importance", "kopie",
    "copie", "kopia", "copia", "trimis", "către", "subiect",
  ]
}

extension StringProtocol {
  /// The text without the characters at both ends that `isCut` names.
  func trimming(_ isCut: (Character) -> Bool) -> String {
    guard let start = firstIndex(where: { !isCut($0) }), let end = lastIndex(where: { !isCut($0) })
    else { return "" }
    return String(self[start...end])
  }
}
