import Foundation

extension AccountPlace {
  /// What the last look counted: a call that goes on where another was cut off tells of that, too.
  struct Inventory: Codable, Equatable {
    var messages: Int
    /// Where mail lies to which only links lead.
    var linked: [String]

    init(messages: Int, linked: [String]) { (self.messages, self.linked) = (messages, linked) }

    /// Reads what ``text()`` was written to; nil where that is not there.
    init?(path: String) {
      guard let data = FileManager.default.contents(atPath: path),
        let read = try? JSONDecoder().decode(Inventory.self, from: data)
      else { return nil }
      self = read
    }

    func text() throws -> String {
      String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
  }
}
