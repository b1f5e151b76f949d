import CLibFuzzer
import SafeHTML

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main enum FuzzPage {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in tryPage(bytes, size) })
  }
}

/// The input is a page. Made safe it has nothing but what is allowed, and made safe once more it is the same.
private func tryPage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  let page = Sanitiser.sanitise(input)
  precondition(page.refusal == nil || page.html.isEmpty, "a page that was refused is empty")
  var check = WrittenPage(page.html)
  check.read()
  let again = page.html.withUnsafeBytes { Sanitiser.sanitise($0) }
  precondition(again.html == page.html, "a page that changes when made safe once more")
  precondition(again.remoteImages.isEmpty && again.dropped.isEmpty, "something was left")
  let text = PageText.read(input, limit: 4000)
  precondition(String(validating: text.text, as: UTF8.self) != nil, "text that is no UTF-8")
  return 0
}
