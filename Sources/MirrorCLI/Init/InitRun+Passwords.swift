import MailCore
import Settings
import Setup

/// Passwords, as the wizard wants them read, kept and compared.
extension InitRun {
  func read(_ credential: AccountDraft.Credential) async -> Result<Secret, SecretFailure> {
    do throws(SecretFailure) {
      return .success(try await keeper.read(credential))
    } catch {
      return .failure(error)
    }
  }

  mutating func keep(_ secret: Secret, _ store: SecretStore, _ plan: SecretStore.Plan) async
    -> Result<AccountDraft.Credential, SecretFailure>
  {
    if isDryRun { return .success(plan.credential) }
    do throws(SecretFailure) {
      try await keeper.keep(secret, in: store, by: plan)
      keptSecret = plan
      return .success(plan.credential)
    } catch {
      return .failure(error)
    }
  }

  func verify(_ credential: AccountDraft.Credential, _ secret: Secret) async
    -> Result<AccountDraft.Credential, SecretFailure>
  {
    do throws(SecretFailure) {
      try await keeper.verify(credential, gives: secret)
      return .success(credential)
    } catch {
      return .failure(error)
    }
  }
}
