import CLISupport
import MailCore
import MailIndex

/// Statistics as one page for a browser: inline SVG, no script, nothing that loads.
struct StatisticsPage {
  private let statistics: MailStatistics
  private let query: String
  private let now: Int64

  /// - Parameter query: what the messages were found by; empty for all.
  init(_ statistics: MailStatistics, query: String, now: Int64) {
    self.statistics = statistics
    self.query = query
    self.now = now
  }

  var text: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Mail in numbers</title>
    <style>
    \(Self.style)
    </style>
    </head>
    <body>
    <header>
    <h1>Mail in numbers</h1>
    <p>\(subtitle)</p>
    </header>
    <main>
    \(([tiles] + cards).joined(separator: "\n"))
    </main>
    <footer>Made by \(ReadingSession.program.html) on \(CivilTime(local: now).dayText).</footer>
    </body>
    </html>

    """
  }

  private var subtitle: String {
    let which = query.isEmpty ? "All messages" : "Messages found by <code>\(query.html)</code>"
    guard let dates = statistics.dates else { return which + ": there are none." }
    let (first, last) = (CivilTime(local: dates.lowerBound), CivilTime(local: dates.upperBound))
    return "\(which), \(first.dayText) to \(last.dayText)."
  }

  // MARK: Pieces

  private var tiles: String {
    let tiles = [
      (Self.grouped(statistics.all.count), "messages"),
      (Quantities.bytes(statistics.all.bytes), "of mail"),
      (Self.grouped(statistics.unread), "unread"),
      (Self.grouped(statistics.own), "your own"),
      (Self.grouped(statistics.attachments.count), "attachments"),
      (Quantities.bytes(statistics.attachments.bytes), "in attachments"),
    ]
    let inner = tiles.map { "<div class=\"tile\"><b>\($0.0)</b><span>\($0.1)</span></div>" }
    return "<section class=\"tiles\">\n\(inner.joined(separator: "\n"))\n</section>"
  }

  private var cards: [String] {
    guard statistics.all.count > 0 else { return [] }
    let years = statistics.years.map { year in
      SVGPlot.Value(
        label: String(year.year), amount: year.amount.count,
        words:
          "\(year.year): \(Self.messages(year.amount.count)), \(Quantities.bytes(year.amount.bytes))"
      )
    }
    let hours = statistics.hours.enumerated().map { hour, count in
      SVGPlot.Value(
        label: String(hour), amount: count,
        words: "\(hour):00 to \(hour):59: \(Self.messages(count))")
    }
    let sizes = statistics.sizes.map { size in
      SVGPlot.Value(
        label: StatisticsText.label(size), amount: size.amount.count,
        words: "\(Self.messages(size.amount.count)), \(Quantities.bytes(size.amount.bytes))")
    }
    let types = statistics.attachmentTypes.map { type in
      SVGPlot.Value(
        label: type.mediaType, amount: type.amount.count,
        words: "\(type.mediaType): \(Quantities.bytes(type.amount.bytes))")
    }
    return [
      card("Years", SVGPlot.columns(years, width: 1000), isWide: true),
      card("The week, hour by hour", SVGPlot.week(statistics.week), isWide: true),
      card("Hours of the day", SVGPlot.columns(hours, width: 520)),
      card("Sizes", SVGPlot.bars(sizes)),
      card("Who writes most", SVGPlot.bars(statistics.senders.map(Self.sender))),
      card("Domains", SVGPlot.bars(statistics.domains.map(Self.source))),
      card("Mailing lists", SVGPlot.bars(statistics.lists.map(Self.source))),
      card("Attachments by type", SVGPlot.bars(types)),
    ]
  }

  private func card(_ title: String, _ plot: String, isWide: Bool = false) -> String {
    let body = plot.isEmpty ? "<p class=\"none\">None.</p>" : plot
    return
      "<section class=\"card\(isWide ? " wide" : "")\">\n<h2>\(title)</h2>\n\(body)\n</section>"
  }

  private static func sender(_ source: MailStatistics.Source) -> SVGPlot.Value {
    SVGPlot.Value(
      label: source.person.isEmpty ? source.name : source.person, amount: source.messages,
      words: "\(StatisticsText.label(source)): \(messages(source.messages))")
  }

  private static func source(_ source: MailStatistics.Source) -> SVGPlot.Value {
    SVGPlot.Value(
      label: source.name, amount: source.messages,
      words: "\(source.name): \(messages(source.messages))")
  }

  private static func messages(_ count: Int) -> String {
    "\(grouped(count)) \(count == 1 ? "message" : "messages")"
  }

  /// `1 234 567`, with narrow blanks that never break.
  static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: "\u{202F}")
  }

  private static let style = """
    :root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --ink: #1d2430; --soft: #667085;
      --line: #e4e7ec; --bar: #3b6fd4; --track: #eef1f6; }
    @media (prefers-color-scheme: dark) { :root { --ground: #12151b; --card: #1b2029; --ink: #e7eaf0;
      --soft: #98a2b3; --line: #2a303b; --bar: #6d9bf1; --track: #252b36; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--ground); color: var(--ink);
      font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    header, main, footer { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
    header { padding-top: 36px; }
    h1 { font-size: 30px; margin: 0; letter-spacing: -0.02em; }
    header p { color: var(--soft); margin: 4px 0 24px; }
    code { font: 13px ui-monospace, monospace; background: var(--track); padding: 1px 5px; border-radius: 4px; }
    main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 16px; }
    .card, .tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
    .card { padding: 16px 18px; min-width: 0; }
    .wide, .tiles { grid-column: 1 / -1; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; }
    .tile { padding: 14px 16px; }
    .tile b { display: block; font-size: 24px; font-weight: 650; letter-spacing: -0.01em; }
    .tile span, .none { color: var(--soft); font-size: 13px; }
    h2 { font-size: 14px; margin: 0 0 10px; color: var(--soft); font-weight: 600; }
    svg { display: block; width: 100%; height: auto; }
    svg text { fill: var(--ink); font-size: 12px; }
    svg .soft { fill: var(--soft); }
    svg .bar { fill: var(--bar); }
    svg .track { fill: var(--track); }
    svg g:hover > .bar { opacity: 0.75; }
    footer { color: var(--soft); font-size: 12px; padding: 24px 20px 40px; }
    """
}

extension String {
  /// As text or an attribute's value of a page; what could reorder or hide text is made visible.
  var html: String {
    var text = ""
    for character in readable.unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
