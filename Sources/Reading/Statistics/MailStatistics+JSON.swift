import MailIndex

extension MailStatistics {
  var json: JSONValue {
    .object([
      "messages": .integer(Int64(all.count)), "bytes": .integer(all.bytes),
      "unread": .integer(Int64(unread)), "own": .integer(Int64(own)),
      "first_date": dates.map { .date($0.lowerBound) } ?? .null,
      "last_date": dates.map { .date($0.upperBound) } ?? .null,
      "attachments": .integer(Int64(attachments.count)),
      "attachment_bytes": .integer(attachments.bytes),
      "senders": .array(
        senders.map {
          .object([
            "address": .string($0.name), "name": .string($0.person),
            "messages": .integer(Int64($0.messages)),
          ])
        }),
      "domains": .array(domains.map { Self.json($0, "domain") }),
      "lists": .array(lists.map { Self.json($0, "list_id") }),
      "sizes": .array(
        sizes.map {
          Self.json([.init("below", $0.below.map { .integer($0) } ?? .null)], "messages", $0.amount)
        }),
      "years": .array(
        years.map {
          Self.json([.init("year", .integer(Int64($0.year)))], "messages", $0.amount)
        }),
      "hours": .array(hours.map { .integer(Int64($0)) }),
      "weekdays": .array(weekdays.map { .integer(Int64($0)) }),
      "attachment_types": .array(
        attachmentTypes.map {
          Self.json([.init("media_type", .string($0.mediaType))], "attachments", $0.amount)
        }),
    ])
  }

  private static func json(_ source: Source, _ key: String) -> JSONValue {
    .object([.init(key, .string(source.name)), .init("messages", .integer(Int64(source.messages)))])
  }

  private static func json(_ members: [JSONValue.Member], _ key: String, _ amount: Amount)
    -> JSONValue
  {
    .object(
      members + [.init(key, .integer(Int64(amount.count))), .init("bytes", .integer(amount.bytes))])
  }
}
