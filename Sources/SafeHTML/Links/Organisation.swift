/// The part of a host name that its owner registered: `example.co.uk` of `mail.example.co.uk`.
///
/// The public suffix list is large and changes; the suffixes that most mail comes from are enough to say that two hosts
/// belong together. Where one is missing, hosts count as one organisation that are not: no false alarm.
package enum Organisation {
  package static func domain(of host: String) -> String {
    let labels = host.split(separator: ".")
    guard labels.count > 2, let last = labels.last, !isAddress(host) else { return host }
    let second = labels[labels.count - 2]
    var suffix = last.utf8.count == 2 && secondLevel.contains(String(second)) ? 2 : 1
    for count in 2..<min(labels.count, mostLabels + 1)
    where shared.contains(labels.suffix(count).joined(separator: ".")) { suffix = count }
    return labels.suffix(suffix + 1).joined(separator: ".")
  }

  /// The domains that say whose a host is, whichever of its two forms its name has.
  static func domains(of host: String) -> [String] {
    guard host.utf8.contains(where: { $0 >= 0x80 }) || host.contains("xn--") else {
      return [domain(of: host)]
    }
    let name = HostName(host)
    var domains = [domain(of: host)]
    for form in [name.ascii, name.unicode] where !domains.contains(domain(of: form)) {
      domains.append(domain(of: form))
    }
    return domains
  }

  package static func isSame(_ left: String, _ right: String) -> Bool {
    left == right || domain(of: left) == domain(of: right)
  }

  /// An IP address in digits.
  package static func isAddress(_ host: String) -> Bool {
    host.hasPrefix("[")
      || host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.dot } && host.contains(".")
  }

  /// `co.uk`, `com.au`, `or.jp` …: below a country's code.
  private static let secondLevel: Set<String> = [
    "ac", "co", "com", "edu", "gob", "gov", "gouv", "go", "ltd", "me", "mil", "ne", "net", "nom",
    "or", "org",
    "plc", "sch", "nhs", "police", "gen", "firm", "ind", "web", "asn", "id", "govt", "school",
    "info", "biz",
    "ad", "ed", "gr", "lg",
  ]

  private static let mostLabels = 4

  /// Names below which anybody may have one.
  private static let shared = Set(
    """
    github.io gitlab.io blogspot.com herokuapp.com appspot.com azurewebsites.net cloudfront.net amazonaws.com \
    s3.amazonaws.com web.app firebaseapp.com pages.dev workers.dev netlify.app vercel.app wordpress.com weebly.com \
    wixsite.com 000webhostapp.com duckdns.org ngrok.io ngrok.app ngrok-free.app fly.dev onrender.com glitch.me r2.dev \
    myshopify.com eu.org us.com uk.com de.com gb.net uk.net us.org ru.com sa.com se.net cn.com jpn.com eu.com \
    onmicrosoft.com sharepoint.com windows.net core.windows.net web.core.windows.net blob.core.windows.net \
    cloudapp.net cloudapp.azure.com azureedge.net azurefd.net azurestaticapps.net trafficmanager.net run.app \
    cloudfunctions.net translate.goog googleusercontent.com trycloudflare.com cloudflare-ipfs.com ondigitalocean.app \
    digitaloceanspaces.com linodeobjects.com backblazeb2.com wasabisys.com zendesk.com freshdesk.com atlassian.net \
    webflow.io framer.app framer.website canva.site notion.site carrd.co strikingly.com mystrikingly.com jimdosite.com \
    jimdofree.com yolasite.com godaddysites.com square.site squarespace.com bubbleapps.io repl.co replit.app \
    replit.dev deno.dev surge.sh stackblitz.io codesandbox.io lovable.app supabase.co plesk.page cprapid.com \
    ddns.net ddnss.de dyndns.org hopto.org no-ip.org no-ip.biz no-ip.info myftp.org zapto.org sytes.net serveo.net \
    loca.lt ipfs.io dweb.link substack.com tumblr.com livejournal.com typepad.com blogspot.de free.nf infinityfreeapp.com
    """.split(separator: " ").map(String.init))
}
