import CGumbo

/// Makes a page safe: written anew from its tree, and read again as a browser will read it.
package enum Sanitiser {
  package static func sanitise(
    _ html: UnsafeRawBufferPointer, images: ImageSources = ImageSources(),
    trackers: TrackerList = .standard, foldsQuotes: Bool = true, limits: PageLimits = .standard
  ) -> SafePage {
    var writer = TreeWriter(
      images: PageImages(images, trackers: trackers, limits: limits), foldsQuotes: foldsQuotes,
      limits: limits)
    do throws(PageTree.Refusal) {
      // The tree goes before what was written is read again.
      writer.write(try PageTree(html, limits: limits))
    } catch {
      return refused(error.words)
    }
    if writer.isTooDeep { return refused(tooDeep) }
    var fixed: [UInt8]? = writer.take()
    if let page = fixed, writer.isUnsettled {
      fixed = nil
      fixed = FixedPoint.of(page) { again($0, foldsQuotes: foldsQuotes, limits: limits) }
    }
    guard let fixed else {
      var page = refused("written anew it cannot be read again as it is")
      page.misleadingLinks = writer.misleadingLinks
      return page
    }
    var page = writer.found()
    page.html = writer.filled(fixed)
    return page
  }

  /// A page for its warnings alone, without the page: what it hides and where its links mislead. Its images are neither
  /// named nor sought.
  package static func examine(_ tree: borrowing PageTree) -> SafePage {
    var writer = TreeWriter(
      images: PageImages(ImageSources(), trackers: .none, limits: .standard), foldsQuotes: true,
      limits: .standard)
    writer.write(tree)
    return writer.isTooDeep ? refused(tooDeep) : writer.found()
  }

  /// What is left of a page of ours, read as a browser will read it.
  private static func again(
    _ html: UnsafeRawBufferPointer, foldsQuotes: Bool, limits: PageLimits
  ) -> [UInt8]? {
    // Escaped it may be longer than it was.
    var limits = limits
    limits.bytes = .max
    limits.tags = .max
    guard let tree = try? PageTree(html, limits: limits) else { return nil }
    var writer = TreeWriter(
      images: PageImages(.ofThePage, trackers: .none, limits: limits), foldsQuotes: foldsQuotes,
      limits: limits)
    writer.write(tree)
    return writer.isTooDeep ? nil : writer.take()
  }

  private static let tooDeep = "its parts lie too deep within one another"

  private static func refused(_ reason: String) -> SafePage {
    var page = SafePage()
    page.refusal = reason
    return page
  }
}
