/// Where services that put themselves before a link send on, read from the link itself: no server is asked.
package enum Redirect {
  /// The address that a wrapped one holds, through up to three wrappings; nil where it is none that is known.
  package static func target(of address: WebAddress) -> WebAddress? {
    var found: WebAddress?
    var current = address
    for _ in 0..<3 {
      guard let next = unwrapped(current) else { break }
      found = next
      current = next
    }
    return found
  }

  private static func unwrapped(_ address: WebAddress) -> WebAddress? {
    guard address.isWeb, let host = address.host,
      let services = services(below: Organisation.domain(of: host)),
      !address.hasDotLevels
    else { return nil }
    let path = address.path.prefix { $0 != "?" }
    return services.lazy
      .filter { $0.host.map { host.hasPrefix($0) || host.contains("." + $0) } ?? true }
      .filter { $0.path.map { $0.hasSuffix("/") ? path.hasPrefix($0) : path == $0 } ?? true }
      .compactMap { $0.form.target(of: address) }.first(where: isPlain)
  }

  /// Google has a domain in nearly every country.
  private static func services(below domain: String) -> [Service]? {
    if let known = table[domain] { return known }
    guard domain.hasPrefix("google."), googleEndings.contains(String(domain.dropFirst(7))) else {
      return nil
    }
    return table["google.*"]
  }

  /// Source: https://www.google.com/supported_domains.
  private static let googleEndings: Set<String> = {
    let countries = """
      ad ae al am as at az ba be bf bg bi bj bs bt by ca cat cd cf cg ch ci cl cm cn cv cz de dj dk dm dz ee es fi fm fr ga \
      ge gg gl gm gr gy hn hr ht hu ie im iq is it je jo kg ki kz la li lk lt lu lv md me mg mk ml mn mu mv mw ne nl no nr \
      nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tl tm tn to tt vu ws
      """
    let com = """
      af ag ar au bd bh bn bo br by bz co cu cy do ec eg et fj gh gi gt hk jm kh kw lb ly mm mt mx my na ng ni np om pa pe \
      pg ph pk pr py qa sa sb sg sl sv tj tr tw ua uy vc vn
      """
    let co = "ao bw ck cr id il in jp ke kr ls ma mz nz th tz ug uk uz ve vi za zm zw"
    var endings: Set<String> = []
    for (prefix, names) in [("", countries), ("com.", com), ("co.", co)] {
      for name in names.split(separator: " ") { endings.insert(prefix + name) }
    }
    return endings
  }()

  /// Whether it is an address of the web whose host is as its service reads it.
  private static func isPlain(_ address: WebAddress) -> Bool {
    guard address.isWeb, let host = address.host else { return false }
    return LinkLabel.isHost(host) || Organisation.isAddress(host)
  }

  /// One of a domain's ways to send on.
  private struct Service {
    /// A label of the host's name, with what follows it; nil for any host.
    var host: String?
    /// The path, or with a slash at its end what it begins with; nil for any.
    var path: String?
    var form: RedirectForm
  }

  private static let table: [String: [Service]] = {
    var table: [String: [Service]] = [:]
    for line in services.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 4, let form = RedirectForm(words[3...]) else { continue }
      for domain in words[0].split(separator: ",") {
        let service = Service(
          host: words[1] == "*" ? nil : words[1], path: words[2] == "*" ? nil : words[2],
          form: form)
        table[String(domain), default: []].append(service)
      }
    }
    return table
  }()

  /// Domains, host, path, form: as the services' own pages and the links of real mail have it (2026-11).
  private static let services = """
    outlook.com safelinks.protection * parameter url
    office.net statics.teams /evergreen-assets/safelinks/ parameter url
    google.com,google.* * /url parameter q url
    google.com,google.* * /local_url parameter q
    google.com * /aclk parameter adurl
    google.com * /amp/s/ rest
    googleadservices.com * /pagead/aclk parameter adurl
    doubleclick.net adclick.g * parameter adurl
    bing.com * /ck/a base64 u a1
    duckduckgo.com * /l/ parameter uddg
    yahoo.com r.search * yahoo
    facebook.com * /l.php parameter u
    messenger.com l. /l.php parameter u
    instagram.com l. * parameter u
    threads.net,threads.com l. * parameter u
    wl.co l. /l parameter u
    linkedin.com * /redir/ parameter url
    linkedin.com * /safety/go parameter url
    linkedin.com * /safety/go/ parameter url
    youtube.com * /redirect parameter q
    reddit.com out. * parameter url
    vk.com * /away.php parameter to
    umblr.com t. /redirect parameter z
    medium.com * /r/ parameter url
    disq.us * /url parameter url
    exit.sc * * parameter url
    steamcommunity.com * /linkfilter/ parameter u url
    slack-redir.net * * parameter url
    deref-gmx.net,deref-gmx.com,deref-web.de,deref-web-02.de,deref-mail.com * * parameter redirectUrl
    cudasvc.com linkprotect. * parameter a
    fireeye.com protect * parameter u
    trustwave.com scanmail. * parameter u
    edgepilot.com link. * parameter u
    symantec.com clicktime. * parameter u
    trendmicro.com * /wis/clicktime/ parameter url
    sophos.com protection. * base64 u
    cisco.com secure-web. * level 1
    awstrack.me * /L0/ level 1
    pstmrk.it * /2/ level 1
    pstmrk.it * /2s/ level 1
    pstmrk.it * /3/ level 1
    pstmrk.it * /3s/ level 1
    pstmrk.it * /3ts/ level 1
    urldefense.com,urldefense.us * * proofpoint
    proofpoint.com urldefense * proofpoint
    """
}
