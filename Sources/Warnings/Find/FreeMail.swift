import SafeHTML

/// Providers at which anybody has an address: two of them belong to two people, not to one organisation.
package enum FreeMail {
  /// Whether two addresses belong to one person or one organisation.
  package static func belongTogether(_ left: String, _ right: String) -> Bool {
    guard let ours = KnownPeople.domain(of: left), let theirs = KnownPeople.domain(of: right) else {
      return false
    }
    let (own, other) = (HostName(ours).ascii, HostName(theirs).ascii)
    guard isOne(own) || isOne(other) else { return Organisation.isSame(own, other) }
    return mailbox(left, at: own) == mailbox(right, at: other)
  }

  /// Whether a domain is such a provider's.
  package static func isOne(_ domain: String) -> Bool {
    let organisation = Organisation.domain(of: domain)
    if domains.contains(organisation) { return true }
    // `yahoo.co.jp`, `hotmail.fr` and all the other countries.
    guard let name = organisation.split(separator: ".").first else { return false }
    return names.contains(name)
  }

  /// An address as these providers know it: without dots, and without what follows a plus sign.
  private static func mailbox(_ address: String, at domain: String) -> String {
    let local = address[..<(address.lastIndex(of: "@") ?? address.endIndex)]
    let name = local.prefix { $0 != "+" }.lowercased().filter { $0 != "." }
    return name + "@" + (domain == "googlemail.com" ? "gmail.com" : domain)
  }

  /// Below whatever ending.
  private static let names: Set<Substring> = [
    "yahoo", "ymail", "rocketmail", "hotmail", "outlook", "live", "msn", "gmx", "aol", "yandex",
    "libero", "virgilio", "zoho", "zohomail", "protonmail",
  ]

  private static let domains = Set(
    """
    gmail.com googlemail.com icloud.com me.com mac.com web.de freenet.de t-online.de arcor.de mail.de email.de \
    posteo.de posteo.net mailbox.org proton.me pm.me tuta.com tuta.io tutanota.com tutanota.de keemail.me \
    fastmail.com fastmail.fm hey.com mail.com email.com usa.com mail.ru bk.ru inbox.ru list.ru internet.ru rambler.ru ya.ru \
    ukr.net i.ua meta.ua qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com 139.com 189.cn aliyun.com \
    naver.com daum.net hanmail.net nate.com rediffmail.com laposte.net orange.fr wanadoo.fr free.fr sfr.fr neuf.fr \
    tiscali.it alice.it tin.it bluewin.ch sunrise.ch seznam.cz email.cz centrum.cz wp.pl o2.pl onet.pl interia.pl \
    op.pl telenet.be skynet.be ziggo.nl kpnmail.nl xs4all.nl btinternet.com sky.com virginmedia.com talktalk.net \
    comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net juno.com \
    rogers.com shaw.ca bell.net bigpond.com optusnet.com.au uol.com.br bol.com.br terra.com.br ig.com.br \
    disroot.org riseup.net cock.li mailfence.com runbox.com startmail.com hushmail.com inbox.lv inbox.com lycos.com \
    excite.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp nifty.com
    """.split(separator: " ").map(String.init))
}
