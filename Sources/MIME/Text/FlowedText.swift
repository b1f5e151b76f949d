/// format=flowed (RFC 3676): lines that end in a blank go on in the next.
package enum FlowedText {
  /// Appends `text` with each paragraph on one line, quotations marked by `>` for each level and a blank.
  ///
  /// `deletesSpaces` is the parameter DelSp=yes: the blank that marks a soft break is no part of the text.
  package static func append(
    _ text: UnsafeRawBufferPointer, deletesSpaces: Bool, into output: inout [UInt8]
  ) {
    var index = 0
    var openDepth: Int?  // the depth of a paragraph that goes on
    while index < text.count {
      let end = text[index...].lineEnd
      var start = index
      while start < end.content, text[start] == ASCII.greater { start += 1 }
      let depth = start - index
      if start < end.content, text[start] == ASCII.space { start += 1 }  // stuffed
      let line = text[start..<end.content]
      let isSeparator = isSignatureSeparator(line)
      if let open = openDepth, open != depth || isSeparator {
        output.append(ASCII.lf)
        openDepth = nil
      }
      if openDepth == nil, depth > 0 {
        output.append(contentsOf: repeatElement(ASCII.greater, count: depth))
        output.append(ASCII.space)
      }
      let isSoft = !isSeparator && line.last == ASCII.space
      output.append(contentsOf: isSoft && deletesSpaces ? line.dropLast() : line)
      openDepth = isSoft ? depth : nil
      if !isSoft, end.next > end.content { output.append(ASCII.lf) }
      index = end.next
    }
    if openDepth != nil { output.append(ASCII.lf) }
  }

  private static func isSignatureSeparator(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.elementsEqual("-- ".utf8)
  }
}
