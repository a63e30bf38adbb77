import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { ArtifactSelector } from '#store/accounts.ts'
import type { AuditState, Store, StoreChange } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

export type AccountDeps = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'write' | 'team' | 'teams' | 'person' | 'tokenById' | 'accounts' | 'attempts'>
  keys: Keyring
}

/**
 * The actor of a change in the audit: the id of a token or person, or `operator`; and the IP address of the request.
 */
export type AuditActor = { by: string; from?: string | undefined }

type AuditDetails = { what: string; teamId?: string; object?: string; before?: AuditState; after?: AuditState }

/** The change that adds an audit row with the current time. */
export const auditChange = (
  { clock }: Pick<AccountDeps, 'clock'>,
  { by, from }: AuditActor,
  row: AuditDetails,
): StoreChange => ({
  add: 'audit',
  row: { at: clock.now(), by, ...(from !== undefined && { from }), ...row },
})

/** The changes that revoke the tokens of OAuth artifacts, and delete the artifacts. */
export const revokeChanges = ({ clock }: Pick<AccountDeps, 'clock'>, selector: ArtifactSelector): StoreChange[] => [
  { account: { revoke: 'tokens', selector, at: clock.now() } },
  { account: { drop: 'artifacts', selector } },
]
