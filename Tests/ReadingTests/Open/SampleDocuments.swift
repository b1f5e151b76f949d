import Foundation

/// Documents that archives are, each packed by another program.
enum SampleDocuments {
  /// A letter with a link.
  static let letter = bytes(
    """
    UEsDBBQAAAAIAAAAIVxYE8SWKgAAAFYBAAARAAAAd29yZC9kb2N1bWVudC54bWyzKbcqsCvOz01VKM8vSilWKMlILFEoSi1ITSzRUcAu\
    bqMP0mMzqhG3RgBQSwMEFAAAAAgAAAAhXOjP+5qWAAAA1AAAABwAAAB3b3JkL19yZWxzL2RvY3VtZW50LnhtbC5yZWxzVc47DsIwEATQ\
    q0Q+gNdOBAXKpwkFBQ3iAlayiS3809qgcHvcgEg5O9LbaYfN2eqFlEzwHZNcsKFvb2hVLoekTUz7WF3mjpFk1f0dsWM653gCSJNGpxIP\
    EX0Bl0BO5RJphbAsZsIxTE+HPkMtxBHo3wddJLLGPwqqaMX8Y2vRcMGlbPgBtm97DXN5fN4ykleWQd/Cfu8HUEsBAhQDFAAAAAgAAAAh\
    XFgTxJYqAAAAVgEAABEAAAAAAAAAAAAAAIABAAAAAHdvcmQvZG9jdW1lbnQueG1sUEsBAhQDFAAAAAgAAAAhXOjP+5qWAAAA1AAAABwA\
    AAAAAAAAAAAAAIABWQAAAHdvcmQvX3JlbHMvZG9jdW1lbnQueG1sLnJlbHNQSwUGAAAAAAIAAgCJAAAAKQEAAAAA
    """)

  /// A letter whose picture lies elsewhere.
  static let picture = bytes(
    """
    UEsDBBQAAAAIAAAAIVxYkILhkwAAANAAAAAcAAAAd29yZC9fcmVscy9kb2N1bWVudC54bWwucmVsc1WOOw7CMBBErxL5AF47ERQonwYK\
    ChrEBaxkk1iKP1ovyNweNyBSvhnpzbRDdlv1Qko2+E5oqcTQt3fcDJcgrTamPVbXqROkRfV4R+zEyhxPAGlc0ZkkQ0RfhHMgZ7ggLRDm\
    2Y54DuPToWeolToC/fvBOrNgERpakH/KWjVSSa0beYD8bW9hKqOXzEjebAL6FvZfP1BLAQIUAxQAAAAIAAAAIVxYkILhkwAAANAAAAAc\
    AAAAAAAAAAAAAACAAQAAAAB3b3JkL19yZWxzL2RvY3VtZW50LnhtbC5yZWxzUEsFBgAAAAABAAEASgAAAM0AAAAAAA==
    """)

  /// A letter whose template lies elsewhere, not packed.
  static let template = bytes(
    """
    UEsDBBQAAAAAAAAAIVyphR2N2wAAANsAAAAcAAAAd29yZC9fcmVscy9zZXR0aW5ncy54bWwucmVsczw/eG1sIHZlcnNpb249IjEuMCI/\
    PjxSZWxhdGlvbnNoaXBzPjxSZWxhdGlvbnNoaXAgSWQ9InIxIiBUeXBlPSJodHRwOi8vc2NoZW1hcy5vcGVueG1sZm9ybWF0cy5vcmcv\
    b2ZmaWNlRG9jdW1lbnQvMjAwNi9yZWxhdGlvbnNoaXBzL2F0dGFjaGVkVGVtcGxhdGUiIFRhcmdldD0iaHR0cDovLzIwMy4wLjExMy41\
    L3giIFRhcmdldE1vZGU9IkV4dGVybmFsIi8+PC9SZWxhdGlvbnNoaXBzPlBLAQIUAxQAAAAAAAAAIVyphR2N2wAAANsAAAAcAAAAAAAA\
    AAAAAACAAQAAAAB3b3JkL19yZWxzL3NldHRpbmdzLnhtbC5yZWxzUEsFBgAAAAABAAEASgAAABUBAAAAAA==
    """)

  /// A letter with macros.
  static let macros = bytes(
    """
    UEsDBBQAAAAIAAAAIVyDFtyMAwAAAAEAAAATAAAAd29yZC92YmFQcm9qZWN0LmJpbqsAAFBLAQIUAxQAAAAIAAAAIVyDFtyMAwAAAAEA\
    AAATAAAAAAAAAAAAAACAAQAAAAB3b3JkL3ZiYVByb2plY3QuYmluUEsFBgAAAAABAAEAQQAAADQAAAAAAA==
    """)

  /// An OpenDocument text with a link and a picture of its own.
  static let openLetter = bytes(
    """
    UEsDBBQAAAAIAAAAIVwJtSFTSgAAAFcAAAALAAAAY29udGVudC54bWyzKUmtKLFKVKjIyczLtsooSk2zVcooKSmw0tdP1CtJLS7RV7Kr\
    sNGHqLKzSSlKLLfKzE1MT0XREZCZXFJalFqsb6hXkJeupG8HAFBLAQIUAxQAAAAIAAAAIVwJtSFTSgAAAFcAAAALAAAAAAAAAAAAAACA\
    AQAAAABjb250ZW50LnhtbFBLBQYAAAAAAQABADkAAABzAAAAAAA=
    """)

  /// One whose picture lies elsewhere.
  static let openPicture = bytes(
    """
    UEsDBBQAAAAIAAAAIVxVxwjcRAAAAEcAAAALAAAAY29udGVudC54bWyzSSlKLLfKzE1MT1WoyMnMy7YqqSxItVUqzswtyElVgoplFKWm\
    2SpllJQUWOnrGxkY6xnoGRoa65nqG+oV5KUr6dsBAFBLAQIUAxQAAAAIAAAAIVxVxwjcRAAAAEcAAAALAAAAAAAAAAAAAACAAQAAAABj\
    b250ZW50LnhtbFBLBQYAAAAAAQABADkAAABtAAAAAAA=
    """)

  /// One with macros.
  static let openMacros = bytes(
    """
    UEsDBBQAAAAIAAAAIVyDFtyMAwAAAAEAAAAaAAAAQmFzaWMvU3RhbmRhcmQvTW9kdWxlMS54bWyrAABQSwECFAMUAAAACAAAACFcgxbc\
    jAMAAAABAAAAGgAAAAAAAAAAAAAAgAEAAAAAQmFzaWMvU3RhbmRhcmQvTW9kdWxlMS54bWxQSwUGAAAAAAEAAQBIAAAAOwAAAAAA
    """)

  /// Packed by codes of its own: 500 bytes and the first 200 of them again.
  static let packed = bytes(
    """
    3ZHBEcVACELvVmEhjr2ILtp/BZ+08WdyyCQsPNgOu8udWmQV08a2I2d2GO7Uewas3G2uLXvNX27sEXe3MUVGRFfsAzYX9e5QdFodehw7\
    a5stryuGxYtn3m1cJQMdLvWT8Gif5Dg54IMRORZxkrwV4UHh2V6WCRc2lDlcvlkVKcFgI/t5zPkX5VMjaWTUB6JzVXUj2vSEyDtdDtF8\
    Z5hd6sNjc3hvmbNdIGS36kI5S+7Kvjdqd7VmpGIGKpwvR8Xfm7DV/9QyI3S0wrcESvlkfqavXfh+mmV7n5WZDslAXHlXsOinBomTlpqi\
    DeJPExTJ1OOsrh3XEN3fkmo2HrgynDfeCzfoulCK1EC+9gX+x53/AA==
    """)

  private static func bytes(_ base64: String) -> [UInt8] {
    Data(base64Encoded: base64).map { Array($0) } ?? []
  }
}
