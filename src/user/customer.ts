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

/** An id that strangers can guess is digested under the team's key: whoever knows a user id can read by it. */
const digested = (tag: Tag, kind: string, id: string, keys: Keys) =>
  `usr_${keys.team(tag.teamId).customFingerprint(tag.tagId, kind, id)}`

/** The user of a browser or device that another SDK named. A UUID is the user id itself. */
export const deviceUserId = (tag: Tag, deviceId: string, keys: Keys): string =>
  uuid.test(deviceId) ? deviceId.toLowerCase() : digested(tag, 'source device', deviceId, keys)

/** The user of a customer id while no device of the customer is known. */
export const customerUserId = (tag: Tag, customerId: string, keys: Keys): string =>
  digested(tag, 'source user', customerId, keys)

/**
 * The fingerprint by which the users of a customer id are looked up. It stands among the fingerprints of e-mails, whose
 * texts hold an `@`; the digest keeps upper and lower case apart.
 */
const customerKey = (tag: Tag, customerId: string, profiles: Pick<Profiles, 'emailKey'>): EmailKey =>
  profiles.emailKey(tag, `customer user ${createHash('sha256').update(customerId).digest('hex')}`)

/** The customer id of an event or of an update of user data. */
export function readCustomerId(event: Record<string, unknown> | TagEvent): string | undefined {
  const { data, storage } = event as TagEvent
  const field = standardKeyField('customerId')
  const kv = (storage as { kv?: { customerId?: unknown } } | undefined | null)?.kv
  return customerIdOf(event[field]) ?? customerIdOf(data?.[field]) ?? customerIdOf(kv?.customerId)
}

/** More e-mails of trusted calls than this in `sharedWindowMs` belong to no single customer. */
export const maxCustomerEmails = 10
const sharedWindowMs = 30 * 86_400_000
/** A known e-mail is recorded again after this. */
const repeatMs = 86_400_000

const recentEmails = ({ customerEmails = {} }: Partial<Profile>, at: number) =>
  Object.entries(customerEmails).filter(([, seenAt]) => seenAt > at - sharedWindowMs)

/** Whether more than ten e-mails of the last 30 days came with the customer id whose record this is. */
const isShared = (record: Profile | undefined, at: number, email?: EmailKey): boolean =>
  new Set([...recentEmails(record ?? {}, at).map(([key]) => key), ...(email ? [email] : [])]).size > maxCustomerEmails

/** The record of a customer id after a trusted call gave an e-mail with it. The same object if that is known. */
export function withCustomerEmail(record: Profile | undefined, email: EmailKey, at: number): Profile | undefined {
  const seenAt = record?.customerEmails?.[email]
  if (seenAt !== undefined && at < seenAt + repeatMs) return record
  const newest = [...recentEmails(record ?? {}, at).filter(([key]) => key !== email), [email, at] as const]
    .sort(([, one], [, other]) => one - other)
    .slice(-maxCustomerEmails - 1)
  const known = record ?? { keys: {}, custom: {}, captured: {}, seenAt: 0 }
  return { ...known, customerEmails: Object.fromEntries(newest), seenAt: Math.max(known.seenAt, at) }
}

/** What is known of a customer id that a trusted call gave. */
export type Customer = {
  key: EmailKey
  /** Its users, the device that was seen last first. Empty if `isShared`. */
  users: readonly KnownUser[]
  /** The user of the id itself, for events that belong to no device. */
  ownUser: { userId: string; profile?: Profile; erasedAt?: number }
  /** More of its users refuse a consent than the store keeps. */
  isCrowded: boolean
  /** Too many people have the id: it names nobody. */
  isShared: boolean
}

type CustomerDeps = { keys: Keys; profiles: Pick<Profiles, 'emailKey' | 'byEmail' | 'find'> }

const lastVisit = ({ profile }: KnownUser) => profile.session?.at ?? 0
const byLastVisit = (one: KnownUser, other: KnownUser) =>
  lastVisit(other) - lastVisit(one) || other.profile.seenAt - one.profile.seenAt

/** Finds the users of a customer id. `email`: the one that the event gives with it. */
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
  // a device may belong to another customer by now
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
 * The user whom a trusted call without a user id names by customer id, by e-mail or by both. The customer id wins. The
 * owner of the e-mail is the customer too unless it belongs to another customer.
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

/** What a trusted call names its user by. */
type Names = { customerId?: string | undefined; email?: string | undefined }

/** Finds the user whom a trusted call without a user id names. Undefined if it names nobody who is known. */
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
