#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Names of our files in `tmp/`: `mirror.<machine>.<boot>.<pid>.<start>.<number>`.
///
/// They tell the owner, so what a killed run left behind can go at once, and what a living one
/// writes is let be.
package struct TemporaryName: Equatable, Sendable {
  package var machine: UInt64
  package var boot: UInt64
  package var process: Int32
  /// When the process started, in the system's own ticks: process numbers are used again.
  package var start: UInt64
  package var number: UInt64

  package var bytes: [UInt8] {
    var name = Self.prefix
    name.reserveCapacity(96)
    name.appendHex(machine)
    name.append(Self.dot)
    name.appendHex(boot)
    name.append(Self.dot)
    name.appendDecimal(Int64(process))
    name.append(Self.dot)
    name.appendDecimal(Int64(clamping: start))
    name.append(Self.dot)
    name.appendDecimal(Int64(clamping: number))
    return name
  }

  package init(machine: UInt64, boot: UInt64, process: Int32, start: UInt64, number: UInt64) {
    self.machine = machine
    self.boot = boot
    self.process = process
    self.start = start
    self.number = number
  }

  /// Nil for names of other programs.
  package init?(_ name: [UInt8]) {
    var rest = name[...]
    self.init(startOf: &rest)
    guard rest.isEmpty else { return nil }
  }

  /// Takes such a name from the front of a longer one.
  init?(startOf rest: inout ArraySlice<UInt8>) {
    guard rest.starts(with: Self.prefix) else { return nil }
    rest.removeFirst(Self.prefix.count)
    guard let machine = rest.takeHex64(), rest.take(Self.dot), let boot = rest.takeHex64(),
      rest.take(Self.dot), let process = rest.takeUInt32(), rest.take(Self.dot),
      let start = rest.takeUInt64(), rest.take(Self.dot), let number = rest.takeUInt64()
    else { return nil }
    self.init(
      machine: machine, boot: boot, process: Int32(truncatingIfNeeded: process), start: start,
      number: number)
  }

  /// A name that nobody else on earth uses.
  package static func next() -> [UInt8] { own().bytes }

  static func own() -> TemporaryName {
    let owner = ThisProcess.current
    return TemporaryName(
      machine: owner.machine, boot: owner.boot, process: owner.process, start: owner.start,
      number: ThisProcess.nextNumber())
  }

  /// Whether nobody will ever finish this file. Other machines' files are left to their age.
  package var ownerIsGone: Bool {
    let own = ThisProcess.current
    guard machine == own.machine else { return false }
    guard boot == own.boot else { return true }
    return process != own.process && ThisProcess.startTime(of: process) != start
      || process == own.process && start != own.start
  }

  private static let prefix = Array("mirror.".utf8)
  private static let dot = UInt8(ascii: ".")
}
