/// What opening an attachment may do, judged by its name and its declared type. The content is not looked at.
package enum DangerousType: UInt8, Sendable, Hashable, CaseIterable, Comparable {
  /// A container, whose content nobody has judged.
  case archive = 1
  /// Runs in an interpreter or as a page of a browser, or a document with macros.
  case script
  case androidPackage
  case macExecutable
  case windowsExecutable

  package static func < (left: DangerousType, right: DangerousType) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The name used in the index and in JSON.
  package var name: String {
    switch self {
    case .archive: "archive"
    case .script: "script"
    case .androidPackage: "android-package"
    case .macExecutable: "mac-executable"
    case .windowsExecutable: "windows-executable"
    }
  }

  /// What a person is told.
  package var warning: String {
    switch self {
    case .archive: "archive"
    case .script: "script"
    case .androidPackage: "Android package"
    case .macExecutable: "can run code on a Mac"
    case .windowsExecutable: "Windows executable"
    }
  }

  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The worse of what the name and the media type (`type/subtype`, lower case) tell; nil where both are harmless.
  package static func of(fileName: String?, mediaType: String) -> DangerousType? {
    let byType = mediaTypes[mediaType]
    guard let fileName, let byName = byExtension(lastExtension(fileName)) else { return byType }
    return max(byName, byType ?? byName)
  }

  /// The extension that a system would act on: the last, without the blanks and dots that Windows drops, and without
  /// the invisible characters (direction overrides and the like) that disguise it.
  static func lastExtension(_ fileName: String) -> String {
    var scalars = fileName.unicodeScalars.filter { !isInvisible($0) }
    while let last = scalars.last, last == "." || last.properties.isWhitespace {
      scalars.removeLast()
    }
    guard let dot = scalars.lastIndex(of: ".") else { return "" }
    return String(String.UnicodeScalarView(scalars[scalars.index(after: dot)...])).lowercased()
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func byExtension(_ name: String) -> DangerousType? {
    if let known = extensions[name] { return known }
    // Volumes of split archives: .r00, .z01, .001
    let digits = name.utf8.drop { $0 == UInt8(ascii: "r") || $0 == UInt8(ascii: "z") }
    guard name.utf8.count == 3, digits.count >= 2, digits.allSatisfy(ASCII.isDigit) else {
      return nil
    }
    return .archive
  }

  private static let extensions = table([
    (
      .windowsExecutable,
      """
      exe com scr pif msi msp mst msix msixbundle appx appxbundle appinstaller application appref-ms cpl dll ocx sys \
      drv lnk gadget xll paf msu mui scf settingcontent-ms library-ms search-ms theme themepack diagcab
      """
    ),
    (
      .macExecutable,
      """
      app dmg pkg mpkg command tool terminal workflow action scpt scptd applescript osax kext prefpane saver \
      qlgenerator mobileconfig inetloc fileloc webloc xip sparseimage sparsebundle dylib bundle plugin shortcut
      """
    ),
    (.androidPackage, "apk xapk apks apkm aab dex"),
    (
      .script,
      """
      bat cmd vb vbs vbe js jse mjs cjs ws wsf wsh wsc sct hta ps1 ps1xml ps2 psc1 psd1 psm1 msh msh1 reg inf ins isp \
      chm hlp jar jnlp class sh bash zsh ksh csh fish py pyc pyw pyz pl pm rb php lua tcl run desktop appimage elf \
      docm dotm xlsm xltm xlam pptm potm ppam ppsm sldm one onepkg iqy slk url rdp ade adp mde msc job swf \
      svg svgz xhtml xht xhtm mht mhtml shtml shtm htc xsl xslt xbl xul webarchive
      """
    ),
    (
      .archive,
      """
      zip zipx rar 7z gz tgz bz bz2 tbz tbz2 xz txz zst tzst lz lz4 lzma z tar taz cab arj ace lzh lha alz egg cpio \
      iso img vhd vhdx vmdk udf wim swm uu uue xxe deb rpm bin daa nrg
      """
    ),
  ])

  private static let mediaTypes = table([
    (
      .windowsExecutable,
      """
      application/x-msdownload application/x-dosexec application/x-msdos-program application/x-ms-installer \
      application/x-msi application/vnd.microsoft.portable-executable application/exe application/x-exe \
      application/x-winexe application/x-ms-shortcut
      """
    ),
    (
      .macExecutable,
      "application/x-apple-diskimage application/x-apple-aspen-config application/x-newton-compatible-pkg"
    ),
    (.androidPackage, "application/vnd.android.package-archive"),
    (
      .script,
      """
      application/javascript application/x-javascript text/javascript application/hta application/x-sh \
      application/x-shellscript text/x-shellscript text/x-sh application/x-bat text/vbscript application/x-vbs \
      application/java-archive application/x-java-archive application/x-java-jnlp-file application/x-powershell \
      text/x-python application/x-python-code text/x-perl application/x-perl application/x-php text/x-php \
      application/vnd.ms-word.document.macroenabled.12 application/vnd.ms-excel.sheet.macroenabled.12 \
      application/vnd.ms-powerpoint.presentation.macroenabled.12 application/x-shockwave-flash \
      image/svg+xml application/xhtml+xml application/x-mimearchive \
      application/ecmascript text/ecmascript text/jscript text/x-component application/xslt+xml text/xsl \
      application/x-webarchive
      """
    ),
    (
      .archive,
      """
      application/zip application/x-zip application/x-zip-compressed application/x-rar application/vnd.rar \
      application/x-rar-compressed application/x-7z-compressed application/gzip application/x-gzip \
      application/x-bzip application/x-bzip2 application/x-xz application/zstd application/x-tar \
      application/x-gtar application/x-compressed-tar application/x-iso9660-image application/vnd.ms-cab-compressed \
      application/x-lzh-compressed application/x-ace-compressed application/x-arj application/x-compress
      """
    ),
  ])

  private static func table(_ entries: [(DangerousType, String)]) -> [String: DangerousType] {
    var table: [String: DangerousType] = [:]
    for (kind, words) in entries {
      for word in words.split(separator: " ") { table[String(word)] = kind }
    }
    return table
  }
}
