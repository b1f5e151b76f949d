/// Elements of which the greatest is at hand: a binary heap.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  var count: Int { elements.count }
  var greatest: Element? { elements.first }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[(place - 1) / 2] < elements[place] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  @discardableResult mutating func removeGreatest() -> Element? {
    guard let greatest = elements.first, let last = elements.popLast() else { return nil }
    if elements.isEmpty { return greatest }
    elements[0] = last
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= elements.count { return greatest }
      if child + 1 < elements.count, elements[child] < elements[child + 1] { child += 1 }
      if elements[child] < elements[place] { return greatest }
      elements.swapAt(place, child)
      place = child
    }
  }

  /// All of them, the greatest first.
  mutating func removeAll() -> [Element] {
    defer { elements = [] }
    return elements.sorted(by: >)
  }
}
