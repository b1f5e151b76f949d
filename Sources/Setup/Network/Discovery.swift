import Foundation
import HTTPWire
import MailCore
import SASL
import Settings

/// Finds an address's servers: the bundled table alone where it knows the domain, else all sources at once.
///
/// The answer of a more trusted source is waited for before that of a lesser one counts; each has its time limit.
package struct Discovery: Sendable {
  package struct Options: Sendable {
    /// Nothing but the table.
    package var isOffline = false
    /// The base of a database of the ISPDB's form; nil asks none.
    package var database: String? = AutoconfigAddresses.publicDatabase
    package var caFile: String?

    package init() {}
  }

  private let options: Options
  private let nameServer: NameServer
  private let fetch: DocumentFetch
  /// For each source, in seconds.
  private static let limit = 12.0

  /// What one source came back with.
  private struct Report: Sendable {
    var service: MailService?
    var notes: [String] = []
  }

  package init(_ options: Options, environment: [String: String]) {
    self.options = options
    nameServer = NameServer(environment: environment)
    fetch = DocumentFetch(nameServer: nameServer, caFile: options.caFile)
  }

  package var isOffline: Bool { options.isOffline }

  package func find(_ address: EmailAddress) async -> Findings {
    if let known = KnownProviders.provider(domain: address.asciiDomain) {
      return Findings([known.service(for: address, origin: .table)])
    }
    if let obstacle = KnownProviders.obstacle(domain: address.asciiDomain) {
      return Findings(obstacle: obstacle)
    }
    guard !options.isOffline else { return Findings([]) }
    async let described = limited { await description(address) }
    async let own = limited { await ownDocument(address) }
    async let records = limited { await serviceRecords(address) }
    async let listed = limited { await databaseEntry(address) }
    async let exchange = limited { await mailExchange(address) }
    async let guessed = limited { await guesses(address) }
    var reports: [Report] = []
    reports.append(await described)
    if Self.isWhole(reports) { return Self.findings(reports) }
    reports.append(await own)
    if Self.isWhole(reports) { return Self.findings(reports) }
    reports.append(await records)
    if Self.isWhole(reports) { return Self.findings(reports) }
    reports.append(await listed)
    if Self.isWhole(reports) { return Self.findings(reports) }
    reports.append(await exchange)
    if Self.isWhole(reports) { return Self.findings(reports) }
    reports.append(await guessed)
    return Self.findings(reports)
  }

  private func limited(_ work: @escaping @Sendable () async -> Report) async -> Report {
    await within(seconds: Self.limit, else: Report(), work)
  }

  private static func findings(_ reports: [Report]) -> Findings {
    Findings(reports.compactMap(\.service), notes: reports.flatMap(\.notes))
  }

  private static func isWhole(_ reports: [Report]) -> Bool { findings(reports).isWhole }

  // MARK: PACC

  /// Only where the domain's DNS says that there is one, and which.
  private func description(_ address: EmailAddress) async -> Report {
    let name = PACCDigest.name(address.asciiDomain)
    let answer = await onOwnThread { [nameServer] in nameServer.ask(name, .txt) }
    guard case .records(let message) = answer,
      let digest = message.texts.lazy.compactMap(PACCDigest.init).first
    else { return Report() }
    let place = PACCDocument.address(address.asciiDomain)
    let host = HTTPAddress(place)?.host ?? place
    let bytes: [UInt8]
    do throws(DocumentFetch.Failure) {
      bytes = try await fetch.fetch(place)
    } catch {
      return Report(notes: error.words.map { ["https://\(host) \($0)."] } ?? [])
    }
    guard (try? SASLDigests.openSSL.hash(.sha256, bytes)) == digest.sha256 else {
      return Report(notes: [
        "https://\(host) sent another description than the DNS of \(address.domain) vouches for: it was "
          + "not used."
      ])
    }
    guard let document = PACCDocument(bytes) else {
      return Report(notes: ["https://\(host) sent a description that cannot be read."])
    }
    return Report(service: document.service(for: address))
  }

  // MARK: Autoconfig

  private func ownDocument(_ address: EmailAddress) async -> Report {
    let places = AutoconfigAddresses.own(address)
    async let first = document(places[0], address, .autoconfig)
    async let second = document(places[1], address, .autoconfig)
    let (one, two) = (await first, await second)
    let notes = one.notes + two.notes
    if let service = one.service, service.imap != nil {
      return Report(service: service, notes: notes)
    }
    return Report(service: two.service ?? one.service, notes: notes)
  }

  private func databaseEntry(_ address: EmailAddress) async -> Report {
    guard let base = options.database else { return Report() }
    return await document(
      AutoconfigAddresses.database(base, domain: address.asciiDomain), address, .ispdb)
  }

  private func document(_ place: String, _ address: EmailAddress, _ origin: Origin) async -> Report
  {
    let host = HTTPAddress(place)?.host ?? place
    let bytes: [UInt8]
    do throws(DocumentFetch.Failure) {
      bytes = try await fetch.fetch(place)
    } catch {
      return Report(notes: error.words.map { ["https://\(host) \($0)."] } ?? [])
    }
    do throws(AutoconfigDocument.Refusal) {
      let document = try AutoconfigDocument(bytes)
      return Report(service: document.service(for: address, origin: origin))
    } catch {
      let portal =
        error == .webPage
        ? " If this network wants you to log in first (a captive portal), do that in a browser."
        : ""
      return Report(notes: ["https://\(host) \(error.words).\(portal)"])
    }
  }

  // MARK: DNS

  private func serviceRecords(_ address: EmailAddress) async -> Report {
    let answers = await withTaskGroup(
      of: (ServiceRecords.Name, [DNSMessage.Service]).self
    ) { group in
      for name in ServiceRecords.Name.allCases {
        let question = "\(name.rawValue).\(address.asciiDomain)"
        group.addTask { [nameServer] in
          await onOwnThread {
            guard case .records(let message) = nameServer.ask(question, .srv) else {
              return (name, [])
            }
            return (name, message.services)
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    return Report(service: ServiceRecords.service(for: address, answers))
  }

  private func mailExchange(_ address: EmailAddress) async -> Report {
    let domain = address.asciiDomain
    let answer = await onOwnThread { [nameServer] in nameServer.ask(domain, .mx) }
    guard case .records(let message) = answer else {
      let unknown = "There is no domain \(address.domain): is the address spelled right?"
      return answer == .noSuchName ? Report(notes: [unknown]) : Report()
    }
    let hosts = message.preferredExchanges
    if let known = KnownProviders.provider(mx: hosts) {
      return Report(service: known.service(for: address, origin: .mx))
    }
    guard let base = options.database, let host = hosts.first else { return Report() }
    for domain in Self.providerDomains(host) where domain != address.asciiDomain {
      let place = AutoconfigAddresses.database(base, domain: domain)
      let report = await document(place, address, .mx)
      if report.service?.imap != nil { return report }
    }
    return Report()
  }

  /// `mx1.mail.example.co.uk` may be listed as one of these; a list of public suffixes would say which.
  static func providerDomains(_ host: String) -> [String] {
    let labels = host.split(separator: ".")
    return [3, 2].filter { $0 < labels.count }.map { labels.suffix($0).joined(separator: ".") }
  }

  // MARK: Guesses

  private func guesses(_ address: EmailAddress) async -> Report {
    async let imap = guess(.imap, address)
    async let smtp = guess(.smtp, address)
    let (found, outgoing) = (await imap, await smtp)
    return Report(
      service: MailService(origin: .guess, imap: found.offer, smtp: outgoing.offer),
      notes: found.offer == nil ? Array(found.notes.prefix(1)) : [])
  }

  private func guess(_ kind: ServerOffer.Kind, _ address: EmailAddress) async -> (
    offer: ServerOffer?, notes: [String]
  ) {
    let candidates = ServerGuesses.all(kind, domain: address.asciiDomain)
    let probe = PortProbe(nameServer: nameServer, caFile: options.caFile)
    let answers = await withTaskGroup(of: (Int, PortProbe.Answer).self) { group in
      for (index, candidate) in candidates.enumerated() {
        group.addTask { (index, await onOwnThread { probe.ask(candidate) }) }
      }
      var answers = [PortProbe.Answer](repeating: .no, count: candidates.count)
      for await (index, answer) in group { answers[index] = answer }
      return answers
    }
    let notes = answers.compactMap { answer -> String? in
      if case .badCertificate(let words) = answer { words } else { nil }
    }
    guard let best = answers.firstIndex(of: .yes) else { return (nil, notes) }
    let guess = candidates[best]
    return (
      ServerOffer(
        host: guess.host, port: guess.port, tls: guess.tls, user: address.description), notes
    )
  }
}
