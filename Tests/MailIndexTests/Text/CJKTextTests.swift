import Testing

@testable import MailIndex

@Suite struct CJKTextTests {
  @Test(arguments: [
    ("plain words", "plain words"), ("naïve café", "naïve café"), ("日本語", " 日本 本語 語 "),
    ("語", " 語 "), ("テスト test", " テス スト ト  test"), ("a日b", "a 日 b"),
    ("한국어", " 한국 국어 어 "), ("𠀀𠀁", " 𠀀𠀁 𠀁 "), ("…“quotes”…", "…“quotes”…"), ("", ""), ("ẞß€", "ẞß€"),
  ]) func `runs are cut into pairs, all else stays`(text: String, cut: String) {
    #expect(String(decoding: CJKText.indexed(text), as: UTF8.self) == cut)
  }
}
