/// The part of a host name that its owner registered: `example.co.uk` of `mail.example.co.uk`.
///
/// The public suffix list is large and changes; the suffixes of two labels that most mail comes from are enough to say
/// that two hosts belong together. Where one is missing, hosts count as one organisation that are not: no false alarm.
package enum Organisation {
  package static func domain(of host: String) -> String {
    let labels = host.split(separator: ".")
    guard labels.count > 2, let last = labels.last, !isAddress(host) else { return host }
    let second = labels[labels.count - 2]
    let isPublic =
      last.utf8.count == 2 && secondLevel.contains(String(second))
      || shared.contains("\(second).\(last)")
    return labels.suffix(isPublic ? 3 : 2).joined(separator: ".")
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

  /// Names below which anybody may have one.
  private static let shared: Set<String> = [
    "github.io", "gitlab.io", "blogspot.com", "herokuapp.com", "appspot.com", "azurewebsites.net",
    "cloudfront.net", "amazonaws.com", "web.app", "firebaseapp.com", "pages.dev", "workers.dev",
    "netlify.app", "vercel.app", "wordpress.com", "weebly.com", "wixsite.com", "000webhostapp.com",
    "duckdns.org", "ngrok.io", "fly.dev", "onrender.com", "glitch.me", "r2.dev", "myshopify.com",
    "eu.org", "us.com", "uk.com", "de.com",
  ]
}
