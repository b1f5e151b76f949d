import TOMLKit

/// A TOML value, copied out of the library's tree.
enum ConfigurationNode: Equatable {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([ConfigurationNode])
  case table([String: ConfigurationNode])
  /// Kinds that no key takes: dates, times and fractions.
  case other(String)

  /// How error texts call it.
  var kind: String {
    switch self {
    case .string: "a text"
    case .integer: "a whole number"
    case .boolean: "true or false"
    case .array: "a list"
    case .table: "a table"
    case .other(let name): name
    }
  }

  init(_ value: some TOMLValueConvertible) throws(TwinKeys) {
    switch value.type {
    case .string: self = .string(value.string ?? "")
    case .int: self = .integer(value.int ?? 0)
    case .bool: self = .boolean(value.bool ?? false)
    case .double: self = .other("a number with a fraction")
    case .date, .time, .dateTime: self = .other("a date or time")
    case .array: self = .array(try Self.elements(value.array))
    case .table: self = .table(try value.table.map(Self.entries) ?? [:])
    }
  }

  static func entries(_ table: TOMLTable) throws(TwinKeys) -> [String: ConfigurationNode] {
    var entries: [String: ConfigurationNode] = [:]
    for (key, value) in table {
      let node = try ConfigurationNode(value)
      guard entries.updateValue(node, forKey: key) == nil else { throw TwinKeys(key: key) }
    }
    return entries
  }

  private static func elements(_ array: TOMLArray?) throws(TwinKeys) -> [ConfigurationNode] {
    var nodes: [ConfigurationNode] = []
    guard let array else { return nodes }
    for value in array { nodes.append(try ConfigurationNode(value)) }
    return nodes
  }
}

/// Two keys of one table that differ only in their Unicode form: two to TOML, one to us.
struct TwinKeys: Error {
  let key: String
}
