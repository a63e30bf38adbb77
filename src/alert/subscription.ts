import type { Keyring } from '#account/keyring.ts'
import { maxContactPoints } from '#contract/alertKinds.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { ContactPointRecord } from '#store/incidents.ts'
import type { Store } from '#store/store.ts'
import { openContact, sealContact } from './contactPoint.ts'

type LinkDeps = { keys: Pick<Keyring, 'hashToken'>; baseUrl: string }
type ReadDeps = { keys: Keyring; store: Pick<Store, 'incidents'> }

const proofOf = ({ keys }: Pick<LinkDeps, 'keys'>, contactPointId: string, address: string) =>
  keys.hashToken(['end of alert mails', contactPointId, address].join('\0'))

/**
 * The page on which a reader of alert mails unsubscribes without an account. The link is not stored: it contains the
 * contact point, and a keyed hash of it with the address. Valid until the address changes. `baseUrl` ends with the
 * version segment.
 */
export function unsubscribeUrl(
  { teamId, contactPointId }: Pick<ContactPointRecord, 'teamId' | 'contactPointId'>,
  address: string,
  deps: LinkDeps,
): string {
  const proof = proofOf(deps, contactPointId, address).toString('base64url')
  return `${deps.baseUrl}/account/alert-mails/${[teamId, contactPointId, proof].join('.')}`
}

/** The contact point of a link; undefined if there is none, it has another address, or it gets no mails. */
export async function findSubscription(
  deps: ReadDeps,
  secret: string,
): Promise<{ row: ContactPointRecord; address: string } | undefined> {
  const [teamId = '', contactPointId = '', proof = ''] = secret.slice(0, 300).split('.')
  if (!/^team_\w{1,60}$/.test(teamId) || !/^contact_\w{1,60}$/.test(contactPointId)) return undefined
  const { rows } = await deps.store.incidents.contactPoints(teamId, { limit: maxContactPoints })
  const row = rows.find((each) => each.contactPointId === contactPointId)
  const { address, isConfirmed } = row ? openContact(row, deps) : {}
  if (!row || address === undefined || !isConfirmed) return undefined
  const isProved = equalBytes(proofOf(deps, contactPointId, address), Buffer.from(proof, 'base64url'))
  return isProved ? { row, address } : undefined
}

/** Ends the mails to the address of a link: it is no longer confirmed. False if the link is not valid. */
export async function endSubscription(
  deps: ReadDeps & { store: Pick<Store, 'write' | 'incidents'>; clock: { now(): number } },
  secret: string,
  from: string,
): Promise<boolean> {
  const found = await findSubscription(deps, secret)
  if (!found) return false
  const { row } = found
  const { teamId, name, kind, contactPointId: object } = row
  const ended = sealContact(row, { ...openContact(row, deps), isConfirmed: false }, deps)
  const audit = { at: deps.clock.now(), by: 'aglet', from, what: 'endAlertMails', teamId, object }
  await deps.store.write([
    { alerting: { put: 'contactPoint', row: ended } },
    { add: 'audit', row: { ...audit, before: { name, kind } } },
  ])
  return true
}
