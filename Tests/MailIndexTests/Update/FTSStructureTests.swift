import Testing

@testable import MailIndex

@Suite struct FTSStructureTests {
  @Test func `a structure reads back as it was written`() throws {
    // Cookie 0, two levels, three segments, 300 writes.
    let bytes: [UInt8] = [
      0, 0, 0, 7, 2, 3, 0x82, 0x2C, 0, 2, 1, 1, 5, 2, 1, 0x81, 0x00, 0, 1, 9, 1, 1,
    ]
    var structure = try FTSStructure(bytes)
    #expect(structure.bytes == bytes)
    #expect(structure.segmentCount == 3)
    let number = try structure.adopt(.init(id: 1, firstPage: 1, lastPage: 200))
    #expect(number == 3)
    #expect(try FTSStructure(structure.bytes) == structure)
  }

  @Test(arguments: 0..<22) func `a structure cut short is an error`(length: Int) {
    let bytes: [UInt8] = [
      0, 0, 0, 7, 2, 3, 0x82, 0x2C, 0, 2, 1, 1, 5, 2, 1, 0x81, 0x00, 0, 1, 9, 1, 1,
    ]
    #expect(throws: IndexError.self) { try FTSStructure(Array(bytes.prefix(length))) }
  }

  @Test func `totals add up, also beyond eight groups of seven bits`() throws {
    let big: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    let sum = try FTSTotals([1, 0x81, 0x00] + big) + FTSTotals([2, 3, 0])
    #expect(sum.bytes == [3, 0x81, 0x03] + big)
    #expect(try (FTSTotals([]) + FTSTotals([4, 5])).bytes == [4, 5])
  }
}
