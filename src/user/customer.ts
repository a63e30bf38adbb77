import { createHash } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import { customerIdOf } from '#contract/customerId.ts'
import type { TagEvent } from '#contract/event.ts'
import { standardKeyField } from '#contract/standardKeys.ts'
import type { EmailKey, Profile } from './profile.ts'
import type { KnownUser, Profiles, UserRef } from './profiles.ts'

type Tag = UserRef['tag']
type Keys = Pick<Keyring, 'team'>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Digests an id that strangers can guess under the team's key: anyone who knows a user id can read that user's data.
 */
const digested = (tag: Tag, kind: string, id: string, keys: Keys) =>
  `usr_${keys.team(tag.teamId).customFingerprint(tag.tagId, kind, id)}`

/** The user of a browser or device that another SDK named. A UUID is used as the user id itself. */
export const deviceUserId = (tag: Tag, deviceId: string, keys: Keys): string =>
  uuid.test(deviceId) ? deviceId.toLowerCase() : digested(tag, 'source device', deviceId, keys)

/** The user of a customer id while no device of the customer is known. */
export const customerUserId = (tag: Tag, customerId: string, keys: Keys): string =>
  digested(tag, 'source user', customerId, keys)

/**
 * The fingerprint for looking up the users of a customer id. It shares the index of e-mail fingerprints; there is no
 * clash, because e-mails contain an `@`. The digest preserves case.
 */
const customerKey = (tag: Tag, customerId: string, profiles: Pick<Profiles, 'emailKey'>): EmailKey =>
  profiles.emailKey(tag, `customer user ${createHash('sha256').update(customerId).digest('hex')}`)

/** Reads the customer id of an event or of an update of user data. */
export function readCustomerId(event: Record<string, unknown> | TagEvent): string | undefined {
  const { data, storage } = event as TagEvent
  const field = standardKeyField('customerId')
  const kv = (storage as { kv?: { customerId?: unknown } } | undefined | null)?.kv
  return customerIdOf(event[field]) ?? customerIdOf(data?.[field]) ?? customerIdOf(kv?.customerId)
}

/**
 * With more e-mails from trusted calls than this within `sharedWindowMs`, an id does not belong to a single customer.
 */
export const maxCustomerEmails = 10
const sharedWindowMs = 30 * 86_400_000
/** A known e-mail is recorded again after this time. */
const repeatMs = 86_400_000

const recentEmails = ({ customerEmails = {} }: Partial<Profile>, at: number) =>
  Object.entries(customerEmails).filter(([, seenAt]) => seenAt > at - sharedWindowMs)

/** True if more than ten e-mails of the last 30 days arrived with the customer id of this record. */
const isShared = (record: Profile | undefined, at: number, email?: EmailKey): boolean =>
  new Set([...recentEmails(record ?? {}, at).map(([key]) => key), ...(email ? [email] : [])]).size > maxCustomerEmails

/**
 * The record of a customer id after a trusted call gave an e-mail with it. Returns the same object if the e-mail is
 * known.
 */
export function withCustomerEmail(record: Profile | undefined, email: EmailKey, at: number): Profile | undefined {
  const seenAt = record?.customerEmails?.[email]
  if (seenAt !== undefined && at < seenAt + repeatMs) return record
  const newest = [...recentEmails(record ?? {}, at).filter(([key]) => key !== email), [email, at] as const]
    .sort(([, one], [, other]) => one - other)
    .slice(-maxCustomerEmails - 1)
  const known = record ?? { keys: {}, custom: {}, captured: {}, seenAt: 0 }
  return { ...known, customerEmails: Object.fromEntries(newest), seenAt: Math.max(known.seenAt, at) }
}

/** A customer id from a trusted call, and its users. */
export type Customer = {
  key: EmailKey
  /** Its users, the most recently seen device first. Empty if `isShared`. */
  users: readonly KnownUser[]
  /** The user of the id itself, for events that belong to no device. */
  ownUser: { userId: string; profile?: Profile; erasedAt?: number }
  /** More of its users have refused a consent than the store keeps. */
  isCrowded: boolean
  /** Too many people have the id, so it identifies nobody. */
  isShared: boolean
}

type CustomerDeps = { keys: Keys; profiles: Pick<Profiles, 'emailKey' | 'byEmail' | 'find'> }

const lastVisit = ({ profile }: KnownUser) => profile.session?.at ?? 0
const byLastVisit = (one: KnownUser, other: KnownUser) =>
  lastVisit(other) - lastVisit(one) || other.profile.seenAt - one.profile.seenAt

/** Finds the users of a customer id. `email`: the e-mail in the same event. */
export async function findCustomer(
  tag: Tag,
  { customerId, email, at }: { customerId: string; email?: EmailKey | undefined; at: number },
  { keys, profiles }: CustomerDeps,
): Promise<Customer> {
  const key = customerKey(tag, customerId, profiles)
  const userId = customerUserId(tag, customerId, keys)
  const [{ confirmed, claimants, isCrowded }, own] = await Promise.all([
    profiles.byEmail(tag, key),
    profiles.find({ tag, userId }),
  ])
  const shared = isShared(own.profile, at, email)
  // a device may belong to another customer now
  const users = [...(confirmed ? [confirmed] : []), ...claimants].filter(({ profile }) => profile.customerKey === key)
  return {
    key,
    users: shared ? [] : users.sort(byLastVisit),
    ownUser: { userId, ...own },
    isCrowded: isCrowded && !shared,
    isShared: shared,
  }
}

/**
 * The user whom a trusted call without a user id identifies by customer id, by e-mail or by both. The customer id
 * takes precedence. The owner of the e-mail is also the customer, unless the owner belongs to another customer.
 */
export function namedUser(
  customer: Customer | undefined,
  emailOwner: KnownUser | undefined,
): { userId: string; profile?: Profile; erasedAt?: number } | undefined {
  if (!customer || customer.isShared) return emailOwner
  const [first] = customer.users
  if (first) return first
  const isSame = emailOwner && (emailOwner.profile.customerKey ?? customer.key) === customer.key
  return isSame ? emailOwner : customer.ownUser
}

/** How a trusted call identifies its user. */
type Names = { customerId?: string | undefined; email?: string | undefined }

/** Finds the user whom a trusted call without a user id identifies. Undefined if no such user is known. */
export async function findNamedUser(
  tag: Tag,
  { customerId, email }: Names,
  at: number,
  deps: CustomerDeps & { profiles: Pick<Profiles, 'ownerOf'> },
): Promise<ReturnType<typeof namedUser>> {
  const key = email === undefined ? undefined : deps.profiles.emailKey(tag, email)
  const [customer, owner] = await Promise.all([
    customerId === undefined ? undefined : findCustomer(tag, { customerId, email: key, at }, deps),
    key === undefined ? undefined : deps.profiles.ownerOf(tag, key),
  ])
  return namedUser(customer, owner)
}
