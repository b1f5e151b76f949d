enum AutoconfigSamples {
  static let whole = """
    <?xml version="1.0" encoding="UTF-8"?>
    <clientConfig version="1.1">
      <emailProvider id="example.org">
        <domain>example.org</domain>
        <displayName>Example &amp; Sons</displayName>
        <displayShortName>Ex</displayShortName>
        <incomingServer type="pop3">
          <hostname>pop.example.org</hostname><port>995</port><socketType>SSL</socketType>
        </incomingServer>
        <incomingServer type="imap">
          <hostname>plain.example.org</hostname><port>143</port><socketType>plain</socketType>
          <username>%EMAILADDRESS%</username>
          <authentication>password-cleartext</authentication>
        </incomingServer>
        <incomingServer type="imap">
          <hostname>mail.%EMAILDOMAIN%</hostname>
          <port>143</port>
          <socketType>STARTTLS</socketType>
          <username>%EMAILADDRESS%</username>
          <authentication>password-cleartext</authentication>
        </incomingServer>
        <incomingServer type="imap">
          <hostname>
            imap.example.org
          </hostname>
          <port>993</port>
          <socketType>SSL</socketType>
          <username>%EMAILLOCALPART%</username>
          <authentication>OAuth2</authentication>
          <authentication>password-cleartext</authentication>
        </incomingServer>
        <outgoingServer type="smtp">
          <hostname>smtp.example.org</hostname>
          <port>587</port>
          <socketType>STARTTLS</socketType>
          <username>%EMAILADDRESS%</username>
          <authentication>password-encrypted</authentication>
          <restriction>client-IP-address</restriction>
        </outgoingServer>
        <documentation url="https://example.org/help"><descr lang="en">Help</descr></documentation>
      </emailProvider>
      <webMail><loginPage url="https://mail.example.org/" /></webMail>
    </clientConfig>
    """

  static func imap(host: String = "imap.example.org", port: String = "993", more: String = "")
    -> String
  {
    """
    <clientConfig version="1.1"><emailProvider id="x"><incomingServer type="imap">
    <hostname>\(host)</hostname><port>\(port)</port><socketType>SSL</socketType>\(more)
    </incomingServer></emailProvider></clientConfig>
    """
  }
}
