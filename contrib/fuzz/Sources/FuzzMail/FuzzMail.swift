import CLibFuzzer
import MIME

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main enum FuzzMail {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in tryMail(bytes, size) })
  }
}

/// The first byte chooses what is tried, the rest is a message, or a part of one.
private func tryMail(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: start, count: count)
  guard let choice = input.first else { return 0 }
  let bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  switch choice & 7 {
  case 0: tryCharset(bytes)
  case 1: tryHTML(bytes)
  case 2: tryTransfer(bytes)
  case 3: tryFields(bytes)
  default: tryMessage(bytes)
  }
  return 0
}
