extension KnownProviders {
  /// In the order of the world's use, roughly. Each entry names the page that tells its servers, and the month in which
  /// all of it was last known to hold.
  ///
  /// What has to be done before a log-in works is also in deltachat's list of some 100 providers, where each has the
  /// day of its last check (https://providers.delta.chat, kept at https://github.com/deltachat/provider-db):
  ///
  /// - IMAP has to be switched on: GMX, WEB.DE, mail.com (paid only), Zoho, freenet, QQ, 163, 126, Yandex, Rambler,
  ///   Naver, ukr.net.
  /// - A password made for the program: iCloud, Yahoo, AOL, Mail.ru, Fastmail, T-Online, QQ, 163, and Gmail where it is
  ///   not OAuth2.
  /// - OAuth2 alone: Outlook.com, Microsoft 365.
  /// - A bridge: Proton. A user's name without its domain, for incoming mail only: iCloud.
  package static let all: [KnownProvider] = international + german + eastern + hosting

  private static let international = [
    KnownProvider(
      name: "Gmail", domains: ["gmail.com", "googlemail.com"],
      mx: ["google.com", "googlemail.com", "smtp.goog"], imap: .implicit("imap.gmail.com", 993),
      smtp: .implicit("smtp.gmail.com", 465),
      logIn: .oauthOrAppPassword(.google, "https://myaccount.google.com/apppasswords"),
      source: "https://support.google.com/mail/answer/7126229"),
    // Before Outlook.com, whose IMAP server is the same: its own domains are known by name, so others are those of
    // organisations.
    KnownProvider(
      name: "Microsoft 365", domains: [], parents: ["onmicrosoft.com"],
      mx: ["mail.protection.outlook.com", "mx.microsoft"],
      imap: .implicit("outlook.office365.com", 993), smtp: .starttls("smtp.office365.com", 587),
      logIn: .oauth(.microsoft),
      hint: "Your organisation decides whether IMAP and SMTP AUTH are allowed.",
      source: "https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/"
        + "deprecation-of-basic-authentication-exchange-online"),
    KnownProvider(
      name: "Outlook.com",
      domains: [
        "outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "outlook.fr",
        "outlook.es", "outlook.it", "outlook.jp", "outlook.com.br", "hotmail.de", "hotmail.fr",
        "hotmail.co.uk", "hotmail.it", "hotmail.es", "live.de", "live.fr", "live.co.uk", "live.nl",
        "live.it", "passport.com",
      ],
      mx: ["olc.protection.outlook.com"], imap: .implicit("outlook.office365.com", 993),
      smtp: .starttls("smtp-mail.outlook.com", 587), logIn: .oauth(.microsoft),
      hint:
        "IMAP may have to be switched on first: Outlook.com, Settings, Mail, Forwarding and IMAP.",
      source: "https://support.microsoft.com/office/d088b986-291d-42b8-9564-9c414e2aa040"),
    KnownProvider(
      name: "Yahoo",
      domains: [
        "yahoo.com", "ymail.com", "rocketmail.com", "myyahoo.com", "yahoo.de", "yahoo.fr",
        "yahoo.co.uk", "yahoo.it", "yahoo.es", "yahoo.ca", "yahoo.com.br", "yahoo.co.in",
        "yahoo.in", "yahoo.com.au",
      ],
      mx: ["yahoodns.net"], imap: .implicit("imap.mail.yahoo.com", 993),
      smtp: .implicit("smtp.mail.yahoo.com", 465),
      logIn: .oauthOrAppPassword(.yahoo, "https://login.yahoo.com/account/security"),
      source: "https://help.yahoo.com/kb/SLN4075.html"),
    KnownProvider(
      name: "AOL", domains: ["aol.com", "aim.com", "aol.de", "aol.fr", "aol.co.uk", "verizon.net"],
      imap: .implicit("imap.aol.com", 993), smtp: .implicit("smtp.aol.com", 465),
      logIn: .appPassword("https://login.aol.com/account/security"),
      source: "https://help.aol.com/articles/how-do-i-use-other-email-applications-to-send-and-"
        + "receive-my-aol-mail"),
    KnownProvider(
      name: "iCloud", domains: ["icloud.com", "me.com", "mac.com"], mx: ["mail.icloud.com"],
      imap: .implicit("imap.mail.me.com", 993), smtp: .starttls("smtp.mail.me.com", 587),
      logIn: .appPassword("https://account.apple.com (Sign-In and Security)"),
      userNote:
        "For incoming mail try the name before the @ as user, for outgoing mail the whole address.",
      source: "https://support.apple.com/102525"),
    KnownProvider(
      name: "Fastmail",
      domains: [
        "fastmail.com", "fastmail.fm", "fastmail.net", "fastmail.org", "fastmail.de",
        "fastmail.co.uk", "fastmail.us", "fastmail.jp", "sent.com", "mailbolt.com", "fmail.co.uk",
      ],
      mx: ["messagingengine.com"], imap: .implicit("imap.fastmail.com", 993),
      smtp: .implicit("smtp.fastmail.com", 465),
      logIn: .appPassword("https://app.fastmail.com/settings/security (App passwords)"),
      source: "https://www.fastmail.help/hc/articles/1500000278342"),
    KnownProvider(
      name: "Proton Mail (Bridge)",
      domains: ["proton.me", "protonmail.com", "protonmail.ch", "pm.me"],
      mx: ["protonmail.ch"], imap: .starttls("127.0.0.1", 1143), smtp: .starttls("127.0.0.1", 1025),
      logIn: .bridge,
      hint:
        "Bridge shows a certificate of its own: export it there, and name the file with --ca-file.",
      source: "https://proton.me/support/imap-smtp-and-pop3-setup"),
    KnownProvider(
      name: "Zoho Mail", domains: ["zoho.com", "zohomail.com"],
      imap: .implicit("imap.zoho.com", 993), smtp: .implicit("smtp.zoho.com", 465),
      logIn: .appPassword("https://accounts.zoho.com/home#security/app_password"),
      hint: zohoHint, source: zohoSource),
    // Organisations with a domain of their own have servers of their own.
    KnownProvider(
      name: "Zoho Mail", domains: [], mx: ["zoho.com"], imap: .implicit("imappro.zoho.com", 993),
      smtp: .implicit("smtppro.zoho.com", 465),
      logIn: .appPassword("https://accounts.zoho.com/home#security/app_password"),
      hint: zohoHint, source: zohoSource),
    KnownProvider(
      name: "Zoho Mail (EU)", domains: ["zoho.eu", "zohomail.eu"],
      imap: .implicit("imap.zoho.eu", 993), smtp: .implicit("smtp.zoho.eu", 465),
      logIn: .appPassword("https://accounts.zoho.eu/home#security/app_password"),
      hint: zohoHint, source: zohoSource),
    KnownProvider(
      name: "Zoho Mail (EU)", domains: [], mx: ["zoho.eu"],
      imap: .implicit("imappro.zoho.eu", 993), smtp: .implicit("smtppro.zoho.eu", 465),
      logIn: .appPassword("https://accounts.zoho.eu/home#security/app_password"),
      hint: zohoHint, source: zohoSource),
    KnownProvider(
      name: "Yandex", domains: ["yandex.com", "yandex.ru", "ya.ru", "yandex.by", "yandex.kz"],
      mx: ["yandex.net", "yandex.ru"], imap: .implicit("imap.yandex.com", 993),
      smtp: .implicit("smtp.yandex.com", 465),
      logIn: .appPassword("https://id.yandex.com/security/app-passwords"),
      hint: "IMAP has to be switched on first: Yandex Mail, All settings, Email clients.",
      source: "https://yandex.com/support/mail/mail-clients/others.html"),
    KnownProvider(
      name: "Mail.ru", domains: ["mail.ru", "inbox.ru", "list.ru", "bk.ru", "internet.ru"],
      imap: .implicit("imap.mail.ru", 993), smtp: .implicit("smtp.mail.ru", 465),
      logIn: .appPassword("https://account.mail.ru/user/2-step-auth/passwords"),
      source: "https://help.mail.ru/mail/mailer/popsmtp"),
  ]

  private static let zohoHint =
    "IMAP has to be switched on first: Zoho Mail, Settings, Mail Accounts, IMAP."
  private static let zohoSource = "https://www.zoho.com/mail/help/imap-access.html"

  private static let german = [
    KnownProvider(
      name: "GMX", domains: ["gmx.de", "gmx.net", "gmx.at", "gmx.ch", "gmx.info", "gmx.eu"],
      imap: .implicit("imap.gmx.net", 993), smtp: .implicit("mail.gmx.net", 465),
      hint: "IMAP has to be switched on first: GMX, E-Mail, Einstellungen, POP3/IMAP.",
      source: "https://hilfe.gmx.net/pop-imap/imap/imap-serverdaten.html"),
    KnownProvider(
      name: "GMX", domains: ["gmx.com", "gmx.us", "gmx.co.uk", "gmx.fr", "gmx.es"],
      imap: .implicit("imap.gmx.com", 993), smtp: .implicit("mail.gmx.com", 465),
      hint: "IMAP has to be switched on first: GMX, E-mail, Settings, POP3 & IMAP.",
      source: "https://support.gmx.com/pop-imap/imap/server.html"),
    KnownProvider(
      name: "WEB.DE", domains: ["web.de", "email.de"], imap: .implicit("imap.web.de", 993),
      smtp: .implicit("smtp.web.de", 465), user: .localPart,
      hint: "IMAP has to be switched on first: WEB.DE, E-Mail, Einstellungen, POP3/IMAP.",
      source: "https://hilfe.web.de/pop-imap/imap/imap-serverdaten.html"),
    KnownProvider(
      name: "mailbox.org", domains: ["mailbox.org"], mx: ["mailbox.org"],
      imap: .implicit("imap.mailbox.org", 993), smtp: .implicit("smtp.mailbox.org", 465),
      source: "https://kb.mailbox.org/en/private/e-mail-article/"
        + "setting-up-imap-and-smtp-in-an-email-client"),
    KnownProvider(
      name: "Posteo",
      domains: [
        "posteo.de", "posteo.net", "posteo.org", "posteo.eu", "posteo.at", "posteo.ch", "posteo.es",
        "posteo.uk", "posteo.us", "posteo.me", "posteo.co", "posteo.jp",
      ],
      imap: .implicit("posteo.de", 993), smtp: .implicit("posteo.de", 465),
      source:
        "https://posteo.de/en/help/how-do-i-set-up-posteo-in-an-email-client-pop3-imap-and-smtp"),
    KnownProvider(
      name: "T-Online", domains: ["t-online.de", "magenta.de"],
      imap: .implicit("secureimap.t-online.de", 993),
      smtp: .implicit("securesmtp.t-online.de", 465),
      hint: "Telekom wants its own “Passwort für E-Mail-Programme”, set in the E-Mail Center.",
      source: "https://www.telekom.de/hilfe/festnetz-internet-tv/e-mail/server"),
    KnownProvider(
      name: "freenet Mail", domains: ["freenet.de"], imap: .implicit("mx.freenet.de", 993),
      smtp: .implicit("mx.freenet.de", 465),
      hint: "IMAP has to be switched on first, in freenet Mail's settings.",
      source: "https://hilfe.freenet-mail.de/email-programme/imap"),
  ]

  /// As deltachat's list of providers has them, in all they say.
  private static let eastern = [
    KnownProvider(
      name: "mail.com", domains: ["mail.com"], imap: .implicit("imap.mail.com", 993),
      smtp: .implicit("smtp.mail.com", 465),
      hint: "IMAP is for paying customers alone, and has to be switched on first.",
      source: "https://providers.delta.chat/mail-com"),
    KnownProvider(
      name: "QQ Mail", domains: ["qq.com", "foxmail.com"], imap: .implicit("imap.qq.com", 993),
      smtp: .implicit("smtp.qq.com", 465), logIn: .appPassword("https://mail.qq.com (授权码)"),
      hint: "IMAP has to be switched on first, in QQ Mail's settings.",
      source: "https://providers.delta.chat/qq"),
    KnownProvider(
      name: "163 Mail", domains: ["163.com"], imap: .implicit("imap.163.com", 993),
      smtp: .implicit("smtp.163.com", 465), logIn: .appPassword("https://mail.163.com (授权码)"),
      hint: "IMAP has to be switched on first, in 163 Mail's settings.",
      source: "https://providers.delta.chat/163"),
    KnownProvider(
      name: "126 Mail", domains: ["126.com"], imap: .implicit("imap.126.com", 993),
      smtp: .implicit("smtp.126.com", 465), logIn: .appPassword("https://mail.126.com (授权码)"),
      hint: "IMAP has to be switched on first, in 126 Mail's settings.",
      source: "https://providers.delta.chat/163"),
    KnownProvider(
      name: "Naver", domains: ["naver.com"], imap: .implicit("imap.naver.com", 993),
      smtp: .implicit("smtp.naver.com", 465),
      hint: "IMAP has to be switched on first, in Naver Mail's settings.",
      source: "https://providers.delta.chat/naver"),
    KnownProvider(
      name: "Rambler", domains: ["rambler.ru", "lenta.ru", "autorambler.ru", "myrambler.ru"],
      imap: .implicit("imap.rambler.ru", 993), smtp: .implicit("smtp.rambler.ru", 465),
      hint: "IMAP has to be switched on first, in Rambler Mail's settings.",
      source: "https://providers.delta.chat/rambler-ru"),
    KnownProvider(
      name: "ukr.net", domains: ["ukr.net"], imap: .implicit("imap.ukr.net", 993),
      smtp: .implicit("smtp.ukr.net", 465),
      hint: "IMAP has to be switched on first, in the settings of ukr.net's mail.",
      source: "https://providers.delta.chat/ukr-net"),
  ]

  private static let hosting = [
    KnownProvider(
      name: "IONOS", domains: ["online.de"], mx: ["kundenserver.de", "ionos.de"],
      imap: .implicit("imap.ionos.de", 993), smtp: .implicit("smtp.ionos.de", 465),
      source: "https://www.ionos.de/hilfe/e-mail/allgemeine-themen/serverinformationen/"),
    KnownProvider(
      name: "Strato", domains: [], mx: ["rzone.de"], imap: .implicit("imap.strato.de", 993),
      smtp: .implicit("smtp.strato.de", 465),
      source: "https://www.strato.de/faq/mail/so-richten-sie-ihr-e-mail-programm-ein/"),
    KnownProvider(
      name: "Gandi", domains: [], mx: ["gandi.net"], imap: .implicit("mail.gandi.net", 993),
      smtp: .implicit("mail.gandi.net", 465),
      source: "https://docs.gandi.net/en/gandimail/standard_email_settings/"),
    KnownProvider(
      name: "Migadu", domains: [], mx: ["migadu.com"], imap: .implicit("imap.migadu.com", 993),
      smtp: .implicit("smtp.migadu.com", 465), source: "https://migadu.com/guides/"),
    KnownProvider(
      name: "Purelymail", domains: [], mx: ["purelymail.com"],
      imap: .implicit("imap.purelymail.com", 993), smtp: .implicit("smtp.purelymail.com", 465),
      source: "https://purelymail.com/docs/settings"),
    KnownProvider(
      name: "Runbox", domains: ["runbox.com", "runbox.no"], mx: ["runbox.com"],
      imap: .implicit("mail.runbox.com", 993), smtp: .implicit("mail.runbox.com", 465),
      source: "https://help.runbox.com/imap-and-pop/"),
    KnownProvider(
      name: "Mailfence", domains: ["mailfence.com"], mx: ["mailfence.com"],
      imap: .implicit("imap.mailfence.com", 993), smtp: .implicit("smtp.mailfence.com", 465),
      source: "https://kb.mailfence.com/kb/can-i-use-imap-pops-smtps-with-mailfence/"),
    KnownProvider(
      name: "Hetzner", domains: [], mx: ["your-server.de"],
      imap: .implicit("mail.your-server.de", 993), smtp: .implicit("mail.your-server.de", 465),
      source:
        "https://docs.hetzner.com/konsoleh/account-management/email/setting-up-an-email-account/"),
  ]
}
