/// How far a name's ending says that it is a host's.
enum HostEnding {
  /// Hosts have it, and nothing else that is usual.
  case host
  /// Hosts have it. Among other words it may be one for which a blank is missing: `Done.It`, `more.news`.
  case domain
  /// A country's hosts have it, and so have files: `mbank.pl`, `setup.py`.
  case country

  /// Nil where no host ends so.
  static func of(_ name: String) -> HostEnding? {
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? ""
    let lowered = ending.lowercased()
    if programs.contains(name.lowercased()) { return .domain }
    if common.contains(lowered) { return .host }
    let isCapitalised =
      ending.first?.isUppercase ?? false && ending.dropFirst().allSatisfy(\.isLowercase)
    if words.contains(lowered) { return isCapitalised ? .domain : .host }
    guard TopLevelDomains.contains(lowered) else { return nil }
    return lowered.utf8.count == 2 && !isCapitalised ? .country : .domain
  }

  /// Of IANA's list, 2026-11: those of countries that are neither files' endings nor words, and the usual others.
  private static let common = set(
    """
    com org net edu gov mil int info biz app dev cloud online shop store site xyz top club bank money finance email link \
    click live page \
    ac ad ae af ag ai al ao ar au aw ax az ba bb bd bf bg bh bi bj bm bn bo br bs bt bw bz ca cd cf cg ch ci ck cl cm \
    cn co cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr \
    gs gt gu gw gy hk hm hn hr ht hu ie il io iq ir je jm jo jp ke kg kh ki km kn kp kr kw ky kz lb lc lk lr ls lt lu lv \
    ly mc mg mh mm mn mp mq mr ms mt mu mv mw mx mz nc ne nf ng ni nl np nr nu nz pe pf pg ph pk pm pn pr pt pw qa ro ru \
    rw sa sb sc sd se sg sk sl sm sn sr ss su sv sx sy sz tc td tf tg th tj tk tl tm tn tr tt tv tw tz ua ug uk uy uz va \
    vc ve vg vi vn vu wf ws ye yt za zm zw рф
    """)

  /// What programs and their parts are called, and hosts hardly.
  private static let programs = set(
    "mail.app asp.net ado.net vb.net java.io java.net system.io system.net socket.io makefile.am configure.ac"
  )

  private static let words = set(
    "me us at be it es no is in am as by do id im la li ma mo my na om pa re si st to")

  private static func set(_ words: String) -> Set<String> {
    Set(words.split(separator: " ").map(String.init))
  }
}
