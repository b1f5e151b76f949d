/// Functions of a style by which an element is drawn where it cannot be seen, or not at all.
enum Vanishing {
  /// Farther than any window reaches, in pixels: on the sides from which nothing can be scrolled to, and on the others.
  static func isFarAway(_ pixels: Double) -> Bool { pixels < -500 || pixels > 3000 }

  /// Whether `transform` leaves nothing to see.
  static func isTransformedAway(_ value: PageBytes, size: Double) -> Bool {
    functions(value).contains { name, arguments in
      let numbers = arguments.map { StyleLength($0)?.value }
      func isNothing(_ places: Int...) -> Bool {
        places.allSatisfy { $0 < numbers.count && abs(numbers[$0] ?? 1) < 0.05 }
      }
      if name.begins(with: "scale") {
        return zip(numbers, arguments).contains { number, word in
          abs(number ?? 1) < (word.last == ASCII.percent ? 5 : 0.05)
        }
      }
      if name.begins(with: "translate") {
        return arguments.contains { word in
          guard let length = StyleLength(word) else { return false }
          return length.isPart
            ? abs(length.value) >= 1000 : isFarAway(length.pixels(size: size))
        }
      }
      if name.equals("matrix"), numbers.count == 6 {
        return isNothing(0, 1) || isNothing(2, 3)
          || numbers[4...].contains { isFarAway($0 ?? 0) }
      }
      if name.equals("rotatex") || name.equals("rotatey") {
        return arguments.first.map { $0.equals("90deg") || $0.equals("-90deg") } ?? false
      }
      return false
    }
  }

  /// Whether `clip` cuts everything off: `rect(0, 0, 0, 0)` and its like, in the order top, right, bottom, left.
  static func isClippedAway(_ value: PageBytes, size: Double) -> Bool {
    functions(value).contains { name, arguments in
      guard name.equals("rect"), arguments.count == 4 else { return false }
      let sides = arguments.map { StyleLength($0)?.pixels(size: size) }
      func isNothing(from start: Double?, to end: Double?) -> Bool {
        guard let start, let end else { return false }
        return end - start <= 1
      }
      return isNothing(from: sides[0], to: sides[2]) || isNothing(from: sides[3], to: sides[1])
    }
  }

  /// Whether `clip-path` cuts everything off.
  static func isOutsideOfPath(_ value: PageBytes, size: Double) -> Bool {
    functions(value).contains { name, arguments in
      let lengths = arguments.map { StyleLength($0) }
      if name.equals("inset") {
        // From each side inwards; what is missing is as on the other side.
        let sides = Array(lengths.prefix(4))
        guard let top = sides.first ?? nil else { return false }
        let right = sides.count > 1 ? sides[1] : top
        let bottom = sides.count > 2 ? sides[2] : top
        let left = sides.count > 3 ? sides[3] : right
        return isAll(top, bottom, size) || isAll(right, left, size)
      }
      if name.equals("circle") || name.equals("ellipse") {
        return (lengths.first ?? nil)?.value == 0
      }
      return name.equals("polygon") && !lengths.isEmpty && lengths.allSatisfy { $0?.value == 0 }
    }
  }

  private static func isAll(_ start: StyleLength?, _ end: StyleLength?, _ size: Double) -> Bool {
    guard let start, let end else { return false }
    if start.isPart, end.isPart { return start.value + end.value >= 100 }
    return isFarAway(start.pixels(size: size) + end.pixels(size: size))
  }

  /// `name(argument, argument)` …
  private static func functions(
    _ value: PageBytes
  ) -> [(name: PageBytes, arguments: [PageBytes])] {
    var found: [(PageBytes, [PageBytes])] = []
    var place = 0
    while let open = value[place...].firstIndex(of: ASCII.openParenthesis),
      let close = value[open...].firstIndex(of: ASCII.closeParenthesis)
    {
      let arguments = value[(open + 1)..<close]
        .split { ASCII.isBlank($0) || $0 == ASCII.comma }.map { PageBytes(rebasing: $0) }
      found.append((value.piece(place..<open).trimmed, arguments))
      place = close + 1
    }
    return found
  }
}
