import MailCore
import Settings

extension SetupWizard {
  /// An answer to the last question, or the lack of one: empty text takes the preset.
  package mutating func answered(_ text: String, to question: Question) -> SetupStep {
    let trimmed =
      question.isSecret
      ? text
      : String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    let answer = trimmed.isEmpty ? question.preset ?? "" : trimmed
    if let complaint = take(answer, question.topic) {
      var again = question
      again.text = [complaint]
      return ask(again)
    }
    if case .imapTrouble = question.topic, isGivenUp {
      return SetupStep(action: .fail(question.failure))
    }
    if case .refusedTwice = question.topic, asksOtherUser {
      return ask(otherUserQuestion(question.failure))
    }
    return next()
  }

  mutating func take(address text: String) -> SetupStep {
    do throws(EmailAddress.Mistake) {
      address = try EmailAddress(text)
      return next()
    } catch {
      var question = addressQuestion
      question.text = [error.words]
      question.failure = Explanation(
        problem: "“\(text)” is no address. \(error.words)", exitStatus: .usage)
      return ask(question)
    }
  }

  /// Nil where the answer was taken, else what is wrong with it.
  private mutating func take(_ answer: String, _ topic: Question.Topic) -> String? {
    switch topic {
    case .address:
      do throws(EmailAddress.Mistake) {
        address = try EmailAddress(answer)
        return nil
      } catch {
        return error.words
      }
    case .useFound, .pull: return take(yes: answer, topic)
    case .imapTrouble: return take(imapTrouble: answer)
    case .refusedTwice:
      guard let number = Answers.number(answer, upTo: 2) else { return "Type 1 or 2." }
      asksOtherUser = number == 2
    case .imapHost, .smtpHost: return take(host: answer, topic)
    case .imapTLS, .smtpTLS: return take(tls: answer, topic)
    case .user:
      guard !answer.isEmpty else { return "A user's name is needed." }
      if imap == nil { typedUser = answer } else { changeUser(to: answer) }
    case .smtpUser: typedSMTPUser = answer
    case .realName: realName = .some(answer.isEmpty ? nil : answer)
    case .clientID:
      guard !answer.isEmpty else { return "Nothing was typed." }
      clientID = answer
    case .clientSecret: clientSecret = .some(answer.isEmpty ? nil : Secret(answer))
    case .signIn: return take(signIn: answer)
    case .password:
      guard !answer.isEmpty else { return "Nothing was typed." }
      secret = Secret(answer)
    case .logIn:
      guard let number = Answers.number(answer, upTo: 2) else { return "Type 1 or 2." }
      usesOAuth = number == 2
    case .smtpTrouble: return take(trouble: answer)
    case .folders:
      if let foldersBefore, answer.lowercased() == Self.sameFolders {
        folders = .some(foldersBefore)
        return nil
      }
      do throws(FolderChoice.Mistake) {
        folders = .some(try FolderChoice.patterns(answer, of: result?.folders ?? []))
      } catch {
        return error.words
      }
    case .window:
      guard WindowAnswer.isValid(answer) || answer == windowBefore else {
        return "Type all, days such as 90d, or a size such as 5GB."
      }
      window = .some(answer == "all" ? nil : answer)
    case .account: return take(account: answer)
    case .root:
      guard answer.hasPrefix("/") || answer == "~" || answer.hasPrefix("~/"),
        answer == answer.visible
      else { return "Type an absolute path, or one that begins with ~/." }
      root = SetupGiven.withoutSlash(answer)
    case .storage: return take(storage: answer)
    case .command:
      guard !answer.isEmpty else { return "Type the command, as you would in a shell." }
      pendingCommand = answer
    }
    return nil
  }

  private mutating func take(yes answer: String, _ topic: Question.Topic) -> String? {
    guard let yes = Answers.yes(answer) else { return "Type y or n." }
    switch topic {
    case .useFound:
      if yes, let findings { takeFound(findings) } else { retypeServers() }
    default:
      wantsPull = yes
    }
    return nil
  }

  private mutating func take(host answer: String, _ topic: Question.Topic) -> String? {
    if topic == .smtpHost, answer.lowercased() == "none" {
      (smtp, hasSMTP) = (nil, true)
      return nil
    }
    guard let server = ServerAnswer(answer) else {
      return "“\(answer)” is no host name. Type it as imap.example.org, or with a port as "
        + "imap.example.org:993."
    }
    if topic == .imapHost { typedIMAP = server } else { typedSMTP = server }
    typedTLS = nil
    return nil
  }

  private mutating func take(tls answer: String, _ topic: Question.Topic) -> String? {
    guard let mode = TLSMode(rawValue: answer.lowercased()) else {
      return "Type implicit, starttls or none."
    }
    let server = topic == .imapTLS ? typedIMAP : typedSMTP
    guard mode != .none || server?.isLoopback == true else {
      return "Unencrypted is for servers on this machine only: type implicit or starttls."
    }
    typedTLS = mode
    return nil
  }

  private mutating func take(imapTrouble answer: String) -> String? {
    guard let number = Answers.number(answer, upTo: 3) else { return "Type 1, 2 or 3." }
    switch number {
    case 1: break  // what was not checked is checked again
    case 2: retypeServers()
    default: isGivenUp = true
    }
    return nil
  }

  private mutating func take(trouble answer: String) -> String? {
    guard let number = Answers.number(answer, upTo: 3) else { return "Type 1, 2 or 3." }
    switch number {
    case 1:
      retypeOutgoing()
      typedSMTPUser = nil
      asksSMTPUser = true
    case 2: isChecked = true
    default:
      (smtp, hasSMTP) = (nil, true)
      isChecked = true
    }
    return nil
  }

  private mutating func take(account answer: String) -> String? {
    if let fault = AccountNames.fault(answer) { return fault }
    switch obstacle(to: answer) {
    case .accountExists(let taken, _):
      return "The configuration has an account “\(taken)” already; to replace it, run this again "
        + "with --replace."
    case let other?: return Self.sentence(other.explanation)
    case nil: break
    }
    account = answer
    return nil
  }

  func takenName(_ name: String) -> String? {
    surroundings.accounts.first { $0.lowercased() == name.lowercased() }
  }

  private mutating func take(storage answer: String) -> String? {
    guard let number = Answers.number(answer, upTo: surroundings.stores.count + 1) else {
      return "Type a number from 1 to \(surroundings.stores.count + 1)."
    }
    if number > surroundings.stores.count {
      asksCommand = true
    } else {
      asksCommand = false
      pendingStore = surroundings.stores[number - 1]
    }
    return nil
  }
}
