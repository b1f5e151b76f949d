import MailCore

extension MailboxName {
  /// Whether a mail program or server keeps in it what is about to be sent, in the languages that Exchange speaks.
  package var isOutbox: Bool {
    levels.count == 1 && Self.outboxes.contains(text.lowercased())
  }

  private static let outboxes: Set<String> = [
    "outbox", "postausgang", "boîte d'envoi", "boîte d’envoi", "bandeja de salida",
    "posta in uscita", "postvak uit", "caixa de saída", "a enviar", "udbakke", "utboks", "utkorg",
    "lähtevät", "skrzynka nadawcza", "pošta k odeslání", "kimenő üzenetek", "giden kutusu",
    "исходящие", "εξερχόμενα", "送信トレイ", "发件箱", "寄件匣", "보낼 편지함",
  ]
}
