#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The formula of FTS5's `bm25()`.
///
/// Source: https://www.sqlite.org/fts5.html, section 5.1.1; a greater score is better here.
struct BM25 {
  private static let k1 = 1.2
  private static let b = 0.75

  /// How much a column's words count: subject, sender, recipients, cc, body, attachment.
  private static let weights = [10.0, 4.0, 3.0, 2.0, 1.0, 2.0]

  /// Words of all columns in an average message.
  private let averageLength: Double
  /// How rare each phrase of the query is.
  private let rarities: [Double]

  /// - Parameters:
  ///   - words: in all messages.
  ///   - holders: for each phrase, how many messages hold it.
  init(messages: Int64, words: Int64, holders: [Int64]) {
    averageLength = Double(words) / Double(max(1, messages))
    rarities = holders.map { Self.rarity(ofHeldBy: Double($0), in: Double(messages)) }
  }

  private static func rarity(ofHeldBy holders: Double, in messages: Double) -> Double {
    // Half and more of the messages: what is found by all of them still counts a little.
    max(1e-6, log((messages - holders + 0.5) / (holders + 0.5)))
  }

  static func weight(ofColumn column: Int32) -> Double {
    weights.indices.contains(Int(column)) ? weights[Int(column)] : 1
  }

  /// - Parameters:
  ///   - weights: for each phrase, the weights of the places where the message has it.
  ///   - length: words in the message. The more, the lower the score.
  func score(_ weights: UnsafeBufferPointer<Double>, length: Int64) -> Double {
    let damping = Self.k1 * (1 - Self.b + Self.b * Double(length) / averageLength)
    var sum = 0.0
    for (weight, rarity) in zip(weights, rarities) {
      sum += rarity * ((weight * (Self.k1 + 1)) / (weight + damping))
    }
    return sum
  }
}
