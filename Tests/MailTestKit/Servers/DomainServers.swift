import Foundation

/// A small world of one test: a name server, and on a loopback address of its own the HTTPS, IMAP and SMTP servers that
/// its names lead to. Port 443 and its like are free there, whatever else the machine runs; so this needs root.
package final class DomainServers: Sendable {
  /// What the HTTPS server answers to one host and path.
  package struct Page: Codable, Sendable {
    package var status = 200
    package var body = ""
    package var headers: [String: String] = [:]
    /// Sends so many bytes more, until the other side hangs up.
    package var filler = 0
    /// Sends those one by one, five a second.
    package var drips = false

    package init(
      status: Int = 200, body: String = "", headers: [String: String] = [:], filler: Int = 0,
      drips: Bool = false
    ) {
      (self.status, self.body, self.headers, self.filler) = (status, body, headers, filler)
      self.drips = drips
    }
  }

  package struct World: Codable, Sendable {
    /// `name TYPE` to values: an address, `10 mx.example`, or `0 0 993 imap.example`. `@` is this world's own address.
    package var records: [String: [String]] = [:]
    /// `host/path`, without the query.
    package var pages: [String: Page] = [:]
    /// Names in the certificate, beside localhost; where there are any, this world's own address, too.
    package var names: [String] = []
    /// Answers on 993, as far as a greeting.
    package var hasIMAP = false
    /// Answers on 465, takes log-ins with this password, and no mail.
    package var smtpPassword: String?
    /// Where that is reached as `localhost`; nil takes any.
    package var smtpPort: UInt16?

    package init() {}
  }

  package let address: String
  /// What `MIRROR_DNS` is set to.
  package let nameServer: String
  package let directory: String
  package let authority: String
  /// Where the outgoing server can be reached as `localhost`.
  package let smtpPort: UInt16
  private let process: Supervised

  package static var isPossible: Bool { getuid() == 0 && findProgram("python3") != nil }

  package init(_ world: World) throws {
    let part = { UInt8.random(in: 2...250) }
    address = "127.\(UInt8.random(in: 64...250)).\(part()).\(part())"
    directory = "\(Scratch.base)/domain-\(UInt64.random(in: 0...UInt64.max))"
    try makeDirectory(directory)
    let certificates = try Certificates.shared.get()
    authority = certificates.authority
    var names = (["localhost"] + world.names).map { "DNS:\($0)" } + ["IP:127.0.0.1"]
    if !world.names.isEmpty { names.append("IP:\(address)") }
    let pair = try certificates.issue(
      "domain-\(address)", for: names.joined(separator: ","))
    let port = try freePort()
    smtpPort = try world.smtpPort ?? freePort()
    nameServer = "\(address):\(port)"
    let plan = Plan(
      world: world, address: address, dns: port, smtp: smtpPort, certificate: pair.certificate,
      key: pair.key, log: directory + "/requests")
    try writeFile(directory + "/plan.json", Array(try JSONEncoder().encode(plan)))
    try writeFile(directory + "/servers.py", Self.script)
    process = try Supervised(
      ["python3", directory + "/servers.py", directory + "/plan.json"], removing: directory,
      log: directory + "/log")
    try waitForPort(smtpPort)
  }

  private struct Plan: Codable {
    var world: World
    var address: String
    var dns: UInt16
    var smtp: UInt16
    var certificate: String
    var key: String
    var log: String
  }

  deinit { stop() }

  package func stop() { process.stop() }

  /// `GET host/path?query sent=BYTES` and `SMTP user outcome`, a line each.
  package var requests: [String] {
    let text = String(decoding: (try? readFile(directory + "/requests")) ?? [], as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  package var log: String {
    String(decoding: (try? readFile(directory + "/log")) ?? [], as: UTF8.self)
  }

  private static let script = """
    import base64, json, socket, socketserver, ssl, struct, sys, threading, time

    plan = json.load(open(sys.argv[1]))
    world, here = plan["world"], plan["address"]
    lock = threading.Lock()

    def note(text):
        with lock:
            open(plan["log"], "a").write(text + "\\n")

    def name_bytes(name):
        return b"".join(bytes([len(p)]) + p.encode() for p in name.split(".") if p) + b"\\0"

    def data(kind, value):
        value = value.replace("@", here)
        words = value.split()
        if kind == "A":
            return socket.inet_aton(value)
        if kind == "TXT":
            return b"".join(bytes([len(p)]) + p for p in (value.encode()[i:i + 200] for i in range(0, len(value), 200)))
        if kind == "MX":
            return struct.pack("!H", int(words[0])) + name_bytes(words[1])
        return struct.pack("!HHH", *map(int, words[:3])) + name_bytes(words[3])

    KINDS = {1: "A", 15: "MX", 16: "TXT", 28: "AAAA", 33: "SRV"}

    def answer(query):
        place, labels = 12, []
        while query[place]:
            labels.append(query[place + 1:place + 1 + query[place]].decode().lower())
            place += 1 + query[place]
        kind = KINDS.get(struct.unpack("!H", query[place + 1:place + 3])[0], "?")
        name = ".".join(labels)
        found = world["records"].get(name + " " + kind, [])
        known = any(key.split()[0] == name for key in world["records"])
        records = b"".join(
            b"\\xc0\\x0c" + query[place + 1:place + 5] + struct.pack("!IH", 60, len(d)) + d
            for d in (data(kind, v) for v in found))
        head = query[:2] + struct.pack("!HHHHH", 0x8180 | (0 if known else 3), 1, len(found), 0, 0)
        return head + query[12:place + 5] + records

    class Names(socketserver.BaseRequestHandler):
        def handle(self):
            query, sock = self.request
            try:
                sock.sendto(answer(query), self.client_address)
            except Exception as error:
                print("dns", error, file=sys.stderr)

    class Threaded(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        request_queue_size = 50

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(plan["certificate"], plan["key"])

    class Secured(socketserver.BaseRequestHandler):
        def handle(self):
            try:
                self.request.settimeout(60)
                self.converse(context.wrap_socket(self.request, server_side=True))
            except (OSError, ssl.SSLError, ValueError):
                pass

    class Pages(Secured):
        def converse(self, sock):
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                more = sock.recv(4096)
                if not more:
                    return
                head += more
            lines = head.decode().split("\\r\\n")
            target = lines[0].split()[1]
            host = next(l.split(":", 1)[1].strip() for l in lines if l.lower().startswith("host:"))
            page = world["pages"].get(host + target.split("?")[0], {"status": 404, "body": "no"})
            body = page.get("body", "").encode()
            size = len(body) + page.get("filler", 0)
            reply = ["HTTP/1.1 %d Answer" % page["status"], "Connection: close"]
            headers = dict(page.get("headers", {}))
            if headers.pop("chunked", None):
                reply.append("Transfer-Encoding: chunked")
            else:
                reply.append("Content-Length: %d" % size)
            reply += ["%s: %s" % pair for pair in headers.items()]
            sent = 0
            try:
                chunked = "Transfer-Encoding: chunked" in reply
                if chunked:
                    body = b"%x\\r\\n" % len(body) + body + b"\\r\\n"
                sock.sendall(("\\r\\n".join(reply) + "\\r\\n\\r\\n").encode() + body)
                while sent < page.get("filler", 0):
                    block = b"x" * (1 if page.get("drips") else 65536)
                    time.sleep(0.2 if page.get("drips") else 0)
                    sock.sendall(b"10000\\r\\n" + block + b"\\r\\n" if chunked else block)
                    sent += len(block)
            finally:
                note("GET %s%s sent=%d" % (host, target, sent))

    class Incoming(Secured):
        def converse(self, sock):
            sock.sendall(b"* OK ready\\r\\n")
            sock.recv(1000)

    class Outgoing(Secured):
        def converse(self, sock):
            stream = sock.makefile("rwb", buffering=0)
            stream.write(b"220 ready\\r\\n")
            for line in stream:
                words = line.decode().split()
                verb = words[0].upper() if words else ""
                if verb == "EHLO":
                    stream.write(b"250-here\\r\\n250 AUTH PLAIN\\r\\n")
                elif verb == "AUTH":
                    _, user, password = base64.b64decode(words[2]).decode().split("\\0")
                    good = password == world["smtpPassword"]
                    note("SMTP %s %s" % (user, "yes" if good else "no"))
                    stream.write(b"235 2.7.0 welcome\\r\\n" if good else b"535 5.7.8 not you\\r\\n")
                elif verb == "QUIT":
                    stream.write(b"221 bye\\r\\n")
                    return
                else:
                    stream.write(b"502 no\\r\\n")

    class Datagrams(socketserver.ThreadingUDPServer):
        daemon_threads = True

    open(plan["log"], "a").close()
    servers = [Datagrams((here, plan["dns"]), Names), Threaded((here, 443), Pages)]
    if world.get("hasIMAP"):
        servers.append(Threaded((here, 993), Incoming))
    servers.append(Threaded(("127.0.0.1", plan["smtp"]), Outgoing))
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Event().wait()
    """
}
