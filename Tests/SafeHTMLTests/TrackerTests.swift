import SafeHTML
import Testing

struct TrackerTests {
  private static func tracking(_ html: String) -> [RemoteImage.Tracking?] {
    safePage(html).remoteImages.map(\.tracking)
  }

  @Test(arguments: [
    "https://u123.ct.sendgrid.net/wf/open?upn=abc", "https://x.list-manage.com/track/open.php?u=1",
    "https://mailtrack.io/trace/mail/1.png", "https://email.shop.example/tr/op/xyz",
  ]) func `known trackers are known by their addresses`(address: String) {
    #expect(Self.tracking("<img src='\(address)'>") == [.known])
  }

  @Test(arguments: [
    "<img src=http://a.example/i width=1 height=1>", "<img src=http://a.example/i width=0>",
    "<img src=http://a.example/i style='width:1px;height:1px'>",
    "<img src=http://a.example/spacer.gif?u=1 width=1 height=1>",
  ]) func `an image of one pixel is there to be counted`(image: String) {
    #expect(Self.tracking(image) == [.tiny])
  }

  @Test func `a hidden image is there to be counted`() {
    #expect(
      Self.tracking("<div style='display:none'><img src=http://a.example/i width=9 height=9></div>")
        == [.hidden])
    #expect(Self.tracking("<img src=http://a.example/i style='visibility:hidden'>") == [.hidden])
  }

  @Test func `so is the last thing of a page, if it has a name for its reader`() {
    let token = "<img src=http://a.example/o/Zk3jQ9xW2mPp7LtR5vYb>"
    #expect(Self.tracking("words \(token)") == [.token])
    #expect(Self.tracking("\(token) words") == [nil])
    #expect(
      Self.tracking("words <img src=http://a.example/o/Zk3jQ9xW2mPp7LtR5vYb width=600 height=90>")
        == [nil])
    #expect(Self.tracking("words <img src=http://a.example/logo.png>") == [nil])
  }

  @Test(arguments: [
    "<img src=http://a.example/logo.png width=100>",
    "<img src=http://a.example/spacer.gif width=1 height=1>",
    "<img src=http://a.example/line.gif width=600 height=1>",
    "<img src=http://sendgrid.net.evil.example/x.png>",
    "<img src=http://a.example/open-letter.png>",
  ]) func `other images are not`(image: String) {
    #expect(Self.tracking(image + "words") == [nil])
  }

  @Test func `hosts are counted, backgrounds too`() {
    let page = safePage(
      "<img src=http://a.example/1><img src=http://b.example/1><td background=http://a.example/2>"
        + "<div style=\"background:url('http://a.example/3')\">x</div>")
    #expect(page.imageHosts.map(\.host) == ["a.example", "b.example"])
    #expect(page.imageHosts.map(\.count) == [2, 1])
  }

  @Test func `hosts of images that tell who reads are named with these`() {
    let page = safePage(
      "<img src=http://a.example/1 width=9 height=9>words"
        + "<img src=http://sendgrid.net/wf/open?x width=1 height=1>more")
    #expect(page.trackers == 1)
    #expect(page.imageHosts.map(\.host) == ["a.example"])
    #expect(page.notes.first?.text == "1 remote image was not loaded: a.example.")
  }

  @Test func `another list may stand in place of ours`() {
    let list = TrackerList("# mine\nspy.example\nshop.example/o/*.gif\n/beacon\n")
    func isKnown(_ address: String) -> Bool { WebAddress(address).map(list.contains) ?? false }
    #expect(isKnown("http://spy.example/any"))
    #expect(isKnown("http://a.spy.example/any"))
    #expect(!isKnown("http://notspy.example/any"))
    #expect(isKnown("http://shop.example/o/1.gif"))
    #expect(!isKnown("http://shop.example/p/1.gif"))
    #expect(isKnown("http://any.example/beacon?x"))
  }

  @Test func `links that say who follows them are counted`() {
    let page = safePage(
      "<a href='http://a.example/?utm_source=x'>a</a><a href='http://a.example/?mc_eid=1'>b</a><a href='http://a.example/?q=1'>c</a>"
    )
    #expect(page.links == 3)
    #expect(page.trackedLinks == 2)
  }
}
