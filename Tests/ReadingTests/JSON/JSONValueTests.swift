import Foundation
import Testing

@testable import Reading

@Suite struct JSONValueTests {
  @Test func `any text comes back as it was`() throws {
    var text = ""
    for value: UInt32 in 0...0x3000 {
      if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
    }
    text += "👨\u{200D}👩 \u{10FFFF} \" \\ /"
    let json = JSONValue.array([.string(text)]).text
    let back = try JSONDecoder().decode([String].self, from: Data(json.utf8))
    #expect(back == [text])
    #expect(
      json.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(!json.unicodeScalars.contains { (0x202A...0x202E).contains($0.value) })
  }

  @Test func `keys keep their order`() {
    let value = JSONValue.object([
      "b": .integer(-1), "a": .null, "c": .array([.bool(true), .bool(false)]),
    ])
    #expect(value.text == #"{"b": -1, "a": null, "c": [true, false]}"#)
    #expect(JSONValue.object([]).text == "{}")
    #expect(JSONValue.array([]).text == "[]")
  }
}
