extension SendmailInvocation {
  /// What the acceptance needs of it.
  package var request: MessageAcceptance.Request {
    var request = MessageAcceptance.Request()
    request.recipients = recipients
    request.takesHeaderRecipients = takesHeaderRecipients
    request.sender = sender
    request.fullName = fullName
    request.account = account
    request.notify = notify
    request.sendsStubText = sendsStubText
    return request
  }
}
