import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { AuditState, Change, Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

/** What people, teams and applications of one environment stand on. */
export type AccountWorld = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'write' | 'team' | 'teams' | 'person' | 'tokenById' | 'accounts'>
  keys: Keyring
}

/** Who changes something, for the audit: a token, a person or `operator`, and the address they came from. */
export type Who = { by: string; from?: string | undefined }

type Audited = { what: string; teamId?: string; object?: string; before?: AuditState; after?: AuditState }

/** An audit row of now. */
export const auditOf = ({ clock }: Pick<AccountWorld, 'clock'>, { by, from }: Who, row: Audited): Change => ({
  add: 'audit',
  row: { at: clock.now(), by, ...(from !== undefined && { from }), ...row },
})
