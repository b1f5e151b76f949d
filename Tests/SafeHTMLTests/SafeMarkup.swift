import SafeHTML

/// What is left of a page.
func safePage(_ html: String, images: ImageSources = ImageSources()) -> SafePage {
  Array(html.utf8).withUnsafeBytes { Sanitiser.sanitise($0, images: images) }
}

func safe(_ html: String) -> String { String(decoding: safePage(html).html, as: UTF8.self) }

/// A picture of one pixel.
let pixel = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="
