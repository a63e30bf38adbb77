import { createHash } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import type { EventContext } from '#event/record.ts'
import type { EmailAssociation, EmailKey } from './profile.ts'
import type { Profiles, UserRef } from './profiles.ts'

type Tag = UserRef['tag']
type Keys = Pick<Keyring, 'team'>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id that strangers can guess is digested under the team's key: whoever knows a user id can read by it. */
const digested = (tag: Tag, kind: string, id: string, keys: Keys) =>
  `usr_${Buffer.from(keys.team(tag.teamId).customFingerprint(tag.tagId, kind, id)).toString('hex')}`

/** The user of a browser or device that another SDK named. A UUID is the user id itself. */
export const deviceUserId = (tag: Tag, deviceId: string, keys: Keys): string =>
  uuid.test(deviceId) ? deviceId.toLowerCase() : digested(tag, 'source device', deviceId, keys)

/** The user who is known only by the id of the customer's own system. */
export const customerUserId = (tag: Tag, id: string, keys: Keys): string => digested(tag, 'source user', id, keys)

/**
 * The fingerprint by which the user of a customer's own id is looked up. It stands among the fingerprints of e-mails,
 * whose texts hold an `@`; the digest keeps upper and lower case apart.
 */
export const customerKey = (tag: Tag, id: string, profiles: Pick<Profiles, 'emailKey'>): EmailKey =>
  profiles.emailKey(tag, `customer user ${createHash('sha256').update(id).digest('hex')}`)

/** The id of the customer's own system in an event that came by a source. */
export function customerIdOf({ source }: Pick<TagEvent, 'source'>): string | undefined {
  const id = (source as { userId?: unknown } | null | undefined)?.userId
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * A trusted update of user data that names a device and the customer's own id confirms that they belong together.
 * Undefined for any other event.
 */
export function customerLink(
  event: Pick<TagEvent, 'source'>,
  { kind, trusted, hasExplicitUserId }: Pick<EventContext, 'kind' | 'trusted' | 'hasExplicitUserId'>,
  { tag, userId }: UserRef,
  { keys, profiles }: { keys: Keys; profiles: Pick<Profiles, 'emailKey'> },
): EmailAssociation | undefined {
  const id = kind === 'user' && trusted && hasExplicitUserId ? customerIdOf(event) : undefined
  if (id === undefined || userId === customerUserId(tag, id, keys)) return undefined
  return { key: customerKey(tag, id, profiles), isClaimed: false, isConfirmed: true }
}
