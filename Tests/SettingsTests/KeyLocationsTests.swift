import Testing

@testable import Settings

@Suite struct KeyLocationsTests {
  private static let text = """
    # comment = 1
    root = "a # b" # c
    "quoted key" = 'x'
    a.b . c = 1
    list = [ # comment ]
      "x", 'y]',
      [1, 2],
      { k = "}" },
    ]
    text = \"\"\"
    fake = 1
    [fake]
    \\\"""\"\"\"
    literal = '''
    fake2 = 1''''
    after = true
    [table.sub]
      one = { two = { three = 1 }, four = [
        1 ] }
    [[many]]
    x = 1
    last = 2024-01-01
    """

  @Test func `keys are found on their lines, whatever stands between`() {
    let locations = KeyLocations(Array(Self.text.utf8))
    let expected: [([String], Int)] = [
      (["root"], 2), (["quoted key"], 3), (["a", "b", "c"], 4), (["a"], 4), (["list"], 5),
      (["text"], 10), (["literal"], 14), (["after"], 16), (["table", "sub"], 17),
      (["table", "sub", "one"], 18), (["table", "sub", "one", "two", "three"], 18),
      (["table", "sub", "one", "four"], 18), (["many", "x"], 21), (["many", "last"], 22),
    ]
    for (path, line) in expected { #expect(locations.line(of: path) == line, "\(path)") }
    #expect(locations.lines[["fake"]] == nil)
    #expect(locations.lines[["fake2"]] == nil)
  }

  @Test func `an unknown path answers with the table around it`() {
    let locations = KeyLocations(Array("[a]\n[a.b]\nc = 1".utf8))
    #expect(locations.line(of: ["a", "b", "x"]) == 2)
    #expect(locations.line(of: ["z"]) == nil)
  }

  @Test func `carriage returns and a byte order mark do not shift lines`() {
    let locations = KeyLocations(Array("\u{FEFF}a = 1\r\nb = 2\r\n".utf8))
    #expect(locations.line(of: ["a"]) == 1)
    #expect(locations.line(of: ["b"]) == 2)
  }

  @Test func `no cut of a document holds the scanner up`() {
    let bytes = Array(Self.text.utf8)
    for length in bytes.indices { _ = KeyLocations(Array(bytes[..<length])) }
    for start in bytes.indices { _ = KeyLocations(Array(bytes[start...])) }
  }
}
