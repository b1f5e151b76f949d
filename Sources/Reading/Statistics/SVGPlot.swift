/// Plots as SVG that stands in a page, with words for each value where the pointer rests. Empty without values.
enum SVGPlot {
  struct Value {
    var label: String
    var amount: Int
    /// What is told of it beside the label.
    var words: String
  }

  /// Upright columns, the values from left to right; labels thin out where there are many.
  static func columns(_ values: [Value], width: Int) -> String {
    guard let most = values.map(\.amount).max(), most > 0 else { return "" }
    let height = 180
    let step = Double(width) / Double(values.count)
    let thick = min(step * 0.76, 64)
    let every = max(1, Int((Double(values.count) * 38 / Double(width)).rounded(.up)))
    var parts = [grid(width, height, most)]
    for (place, value) in values.enumerated() {
      let tall = Double(value.amount) / Double(most) * Double(height - 30)
      let left = step * Double(place) + (step - thick) / 2
      var column = "<title>\(value.words.html)</title>"
      // For the pointer, also above a low column.
      column += rectangle("fill=\"transparent\"", left, 8, thick, Double(height - 28))
      if value.amount > 0 {
        column += rectangle(bar, left, Double(height - 20) - max(tall, 1.5), thick, max(tall, 1.5))
      }
      if place % every == 0 {
        column +=
          "<text class=\"soft\" text-anchor=\"middle\" x=\"\(decimal(left + thick / 2))\" "
          + "y=\"\(height - 4)\">\(value.label.html)</text>"
      }
      parts.append("<g>\(column)</g>")
    }
    return svg(width, height, parts)
  }

  /// Lying bars, one below the other, each with its label above and its number at the right.
  static func bars(_ values: [Value]) -> String {
    guard let most = values.map(\.amount).max(), most > 0 else { return "" }
    let (width, row) = (520, 38)
    let parts = values.enumerated().map { place, value in
      let top = Double(place * row)
      let long = Double(value.amount) / Double(most) * Double(width)
      return "<g><title>\(value.words.html)</title>"
        + "<text x=\"0\" y=\"\(decimal(top + 14))\">\(DisplayWidth.cut(value.label, to: 56).html)</text>"
        + "<text class=\"soft\" text-anchor=\"end\" x=\"\(width)\" y=\"\(decimal(top + 14))\">"
        + "\(StatisticsPage.grouped(value.amount))</text>"
        + rectangle(track, 0, top + 20, Double(width), 8)
        + (value.amount > 0 ? rectangle(bar, 0, top + 20, max(long, 2), 8) : "") + "</g>"
    }
    return svg(width, values.count * row, parts)
  }

  /// Seven rows of 24 fields, the fuller the darker.
  static func week(_ week: [[Int]]) -> String {
    guard let most = week.joined().max(), most > 0 else { return "" }
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let (left, row, step) = (44.0, 24.0, 39.8)
    var parts: [String] = []
    // The week begins on Monday.
    for (place, day) in [1, 2, 3, 4, 5, 6, 0].enumerated() where day < week.count {
      let top = Double(place) * row
      parts.append("<text class=\"soft\" x=\"0\" y=\"\(decimal(top + 15))\">\(days[day])</text>")
      for (hour, count) in week[day].enumerated() {
        let share = (Double(count) / Double(most)).squareRoot()
        parts.append(
          "<g><title>\(days[day]) \(hour):00 to \(hour):59: \(StatisticsPage.grouped(count))</title>"
            + rectangle(
              count > 0 ? "class=\"bar\" fill-opacity=\"\(decimal(0.08 + share * 0.92))\"" : track,
              left + Double(hour) * step, top, step - 3, row - 3) + "</g>")
      }
    }
    for hour in stride(from: 0, to: 24, by: 3) {
      parts.append(
        "<text class=\"soft\" x=\"\(decimal(left + Double(hour) * step))\" y=\"\(Int(row * 7) + 14)\">"
          + "\(hour):00</text>")
    }
    return svg(1000, Int(row * 7) + 20, parts)
  }

  // MARK: Pieces

  private static func svg(_ width: Int, _ height: Int, _ parts: [String]) -> String {
    "<svg viewBox=\"0 0 \(width) \(height)\" role=\"img\">\n\(parts.joined(separator: "\n"))\n</svg>"
  }

  /// A line at the most and at half of it, with their numbers.
  private static func grid(_ width: Int, _ height: Int, _ most: Int) -> String {
    [(10, most), ((height - 30) / 2 + 10, most / 2)].map { top, amount in
      "<line x1=\"0\" x2=\"\(width)\" y1=\"\(top)\" y2=\"\(top)\" stroke=\"var(--line)\"/>"
        + "<text class=\"soft\" x=\"\(width)\" y=\"\(top + 12)\" text-anchor=\"end\" font-size=\"10\">"
        + "\(StatisticsPage.grouped(amount))</text>"
    }.joined()
  }

  private static let bar = "class=\"bar\""
  private static let track = "class=\"track\""

  private static func rectangle(
    _ style: String, _ left: Double, _ top: Double, _ width: Double, _ height: Double
  ) -> String {
    "<rect \(style) x=\"\(decimal(left))\" y=\"\(decimal(top))\" width=\"\(decimal(width))\" "
      + "height=\"\(decimal(height))\" rx=\"3\"/>"
  }

  /// Two digits after the point; a locale has no say.
  private static func decimal(_ number: Double) -> String {
    let hundredths = Int((max(0, number) * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100)" + (rest == 0 ? "" : rest < 10 ? ".0\(rest)" : ".\(rest)")
  }
}
