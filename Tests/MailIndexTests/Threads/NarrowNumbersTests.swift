import Testing

@testable import MailIndex

struct NarrowNumbersTests {
  @Test func `numbers come back as they went in, whether they fit or not`() {
    let given: [Int64] = [
      0, 1, -1, .min, .max, 4_294_967_294, 4_294_967_295, 4_294_967_296, 1_700_000_000, -5, 7,
    ]
    var numbers = NarrowNumbers()
    numbers.reserve(3)
    for number in given { numbers.append(number) }
    #expect(numbers.count == given.count)
    #expect(numbers.indices.map { numbers[$0] } == given)
  }
}
