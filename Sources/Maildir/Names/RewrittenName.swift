/// The base name of a file whose keywords line was written anew: `~k1`, `~k2`, … behind the name, before a comma and
/// other programs' fields.
///
/// Mail readers remember by name where a message's text begins and how long it is. neomutt, with the folder open, would
/// save the message cut by as much as the line grew. Under another name it is another file to them, which they read.
package struct RewrittenName: Hashable, Sendable {
  /// The name without the mark and what follows.
  package internal(set) var stem: [UInt8]
  /// 0 for a file as it came.
  package internal(set) var count: UInt32
  /// From the first comma on.
  var fields: [UInt8]

  package init(_ base: [UInt8]) {
    // A name is never nothing but fields.
    let comma = base.dropFirst().firstIndex(of: UInt8(ascii: ",")) ?? base.endIndex
    fields = Array(base[comma...])
    stem = Array(base[..<comma])
    count = 0
    guard let tilde = stem.lastIndex(of: UInt8(ascii: "~")), tilde > 0 else { return }
    var mark = stem[(tilde + 1)...]
    guard mark.take(UInt8(ascii: "k")), mark.first != UInt8(ascii: "0"),
      let number = mark.takeUInt32(), mark.isEmpty
    else { return }
    count = number
    stem.removeSubrange(tilde...)
  }

  package var base: [UInt8] {
    var base = stem
    if count > 0 {
      base.append(UInt8(ascii: "~"))
      base.append(UInt8(ascii: "k"))
      base.appendDecimal(Int64(count))
    }
    return base + fields
  }

  /// Whether a file of this name may be called so by now, with its keywords line written anew.
  package func isEarlier(than base: [UInt8]) -> Bool {
    guard base.starts(with: stem) else { return false }
    let other = Self(base)
    return other.stem == stem && other.count > count
  }

  /// The name that the file had before any rewrite.
  package static func original(of base: [UInt8]) -> [UInt8] {
    var name = Self(base)
    name.count = 0
    return name.base
  }

  /// Names that the file had before its last rewrites, newest first.
  package static func earlier(than base: [UInt8]) -> [[UInt8]] {
    var name = Self(base)
    var names: [[UInt8]] = []
    while name.count > 0, names.count < 16 {  // a name may claim four thousand million
      name.count -= 1
      names.append(name.base)
    }
    return names
  }

  /// The name that the file has after one more rewrite.
  package static func next(after base: [UInt8]) -> [UInt8] {
    var name = Self(base)
    name.count = name.count &+ 1
    return name.base
  }
}
