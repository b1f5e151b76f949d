/// What all messages, or those of a search, are: who wrote them, when, how large they are.
package struct MailStatistics: Sendable, Equatable {
  /// Somebody, or a list, with how much of the mail is theirs.
  package struct Source: Sendable, Equatable {
    /// An address, a domain or a List-Id.
    package var name: String
    /// Of an address the person's name; else empty.
    package var person = ""
    package var messages: Int
  }

  package struct Amount: Sendable, Equatable {
    package var count = 0
    package var bytes: Int64 = 0
  }

  /// Messages up to a size.
  package struct SizeClass: Sendable, Equatable {
    /// Bytes that all of them are below; nil for those above the largest.
    package var below: Int64?
    package var amount = Amount()
  }

  package struct Year: Sendable, Equatable {
    package var year: Int
    package var amount = Amount()
  }

  package struct AttachmentType: Sendable, Equatable {
    package var mediaType: String
    package var amount = Amount()
  }

  package var all = Amount()
  package var unread = 0
  /// Written by the tree's owner.
  package var own = 0
  /// Unix seconds of the oldest and the newest message; nil where there is none.
  package var dates: ClosedRange<Int64>?
  package var attachments = Amount()
  /// Those who wrote most, without the owner.
  package var senders: [Source] = []
  package var domains: [Source] = []
  package var lists: [Source] = []
  package var sizes: [SizeClass] = Self.classes
  /// Every year from the first to the last.
  package var years: [Year] = []
  /// Messages by weekday (0 is Sunday) and hour of the local day.
  package var week = [[Int]](repeating: [Int](repeating: 0, count: 24), count: 7)
  /// Those with most files.
  package var attachmentTypes: [AttachmentType] = []

  package init() {}

  package var hours: [Int] { (0..<24).map { hour in week.reduce(0) { $0 + $1[hour] } } }
  package var weekdays: [Int] { week.map { $0.reduce(0, +) } }

  private static let classes: [SizeClass] =
    [10_000, 100_000, 1_000_000, 10_000_000].map { SizeClass(below: $0) } + [SizeClass(below: nil)]
}
