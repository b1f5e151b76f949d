import MIME
import SafeHTML
import Warnings

/// Warnings of a message written out, LF line ends.
func warnings(
  _ message: String, people: [MailAddress] = [], lists: Set<String> = [],
  authorities: [String] = ["mx.home.example"]
) -> [MessageWarning.Kind] {
  Array(message.utf8).withUnsafeBytes { bytes in
    let structure = MessageStructure.parse(bytes)
    var facts = MessageFacts(bytes, structure, authorities: authorities)
    for block in ReadableText.read(bytes, structure, pages: .kept).blocks {
      if case .page(let html) = block { facts.add(html.withUnsafeBytes { Sanitiser.sanitise($0) }) }
    }
    return WarningFinder.warnings(of: facts, people: KnownPeople(people, lists: lists)).map(\.kind)
  }
}

func person(_ name: String, _ address: String) -> MailAddress {
  MailAddress(name: name, address: address)
}
