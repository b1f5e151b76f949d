/// The classes that our own style sheet knows. A mail that uses them gains nothing.
enum PageClass {
  static func isOne(_ name: PageBytes) -> Bool {
    name.elementsEqual("mirror-image".utf8) || name.elementsEqual("mirror-quote".utf8)
  }
}
