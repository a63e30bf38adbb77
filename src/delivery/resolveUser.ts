import type { Keyring } from '#account/keyring.ts'
import { refusesAll, type StoredConsents } from '#consent/consent.ts'
import type { History } from '#contract/tag.ts'
import type { EventContext, RecordEvent } from '#event/record.ts'
import type { Location } from '#geo/locate.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { type Customer, findCustomer, namedUser } from '#user/customer.ts'
import { type EmailKey, isOtherCustomer, type Profile, readUserFacts, type UserFacts } from '#user/profile.ts'
import type { EmailOwners, KnownUser, Profiles } from '#user/profiles.ts'
import type { CaptureRuleSource } from './captureRules.ts'

/**
 * The user of an event. A trusted event without a user id belongs to the user of its customer id, else to the user for
 * whom a trusted call first gave its e-mail, else to a new user. Claimants of the e-mail contribute their click ids,
 * their cookies and the consent that all of them give; never an id or identity keys. A customer id from an untrusted
 * call links no users.
 */
export type ResolvedUser = {
  /** The user id that the event is sent with. */
  userId: string
  facts: UserFacts
  /** The profile of that user id. */
  own?: Profile
  /** Set if the event arrived with another user id and belongs to this user by its customer id or e-mail. */
  emailMatch?: string
  /** The other users of the e-mail; absent without an e-mail. */
  email?: EmailOthers
  /** The other users of the customer id; absent if no trusted call gave one. */
  customer?: CustomerOthers
  /**
   * The key of the consent that releases the event if it is held: its user id, or its customer id or e-mail if the caller
   * gave no user id.
   */
  waitsFor: string
  /** The user was erased after the event arrived. */
  isErased: boolean
}

type EmailOthers = EmailOwners & { key: EmailKey }
type CustomerOthers = { key: EmailKey; others: readonly KnownUser[]; isCrowded: boolean } & Pick<Customer, 'isShared'>

type ResolveUserDeps = { profiles: Profiles; keys: Pick<Keyring, 'team'>; captures: CaptureRuleSource['ofTag'] }

/** Finds the user of an event. A user id that was generated for the event has no profile yet and is not looked up. */
export async function resolveUser(
  recordEvent: RecordEvent,
  tag: Snapshot,
  deps: ResolveUserDeps,
): Promise<ResolvedUser> {
  const { event, context, userId, isErased } = recordEvent
  const facts = readUserFacts(event, await deps.captures(tag), context.kind)
  const { profile, erasedAt } = context.hasExplicitUserId ? await deps.profiles.find({ tag, userId }) : {}
  const isErasedAt = (at = -1) => isErased || at >= context.receivedAt
  const base = { userId, facts, isErased: isErasedAt(erasedAt), waitsFor: userId, ...(profile && { own: profile }) }
  const { email, customer } = await findOthers({ facts, profile, context }, tag, deps)
  const othersOf = (ownId: string) => ({
    ...(email && { email: emailOthers(ownId, email) }),
    ...(customer && { customer: customerOthers(ownId, customer) }),
  })
  if (context.hasExplicitUserId) return { ...base, ...othersOf(userId) }
  const key = (customer && !customer.isShared ? customer : email)?.key
  const waitsFor = key === undefined ? userId : waitingFor(key)
  const named = context.trusted ? namedUser(customer, email?.confirmed) : undefined
  if (!named) return { ...base, waitsFor, ...othersOf(userId) }
  return {
    ...base,
    userId: named.userId,
    ...(named.profile && { own: named.profile }),
    waitsFor,
    ...othersOf(named.userId),
    isErased: isErasedAt(named.erasedAt ?? named.profile?.erasedAt),
    ...(named.userId !== userId && { emailMatch: named.userId }),
  }
}

/** The users of the event's e-mail and customer id. The profile supplies them if the event does not. */
async function findOthers(
  { facts, profile, context }: { facts: UserFacts; profile: Profile | undefined; context: EventContext },
  tag: Snapshot,
  deps: ResolveUserDeps,
): Promise<{ email: EmailOthers | undefined; customer: Customer | undefined }> {
  const known = isOtherCustomer(profile, facts.keys) ? undefined : profile
  const email = facts.keys.email ?? known?.keys.email
  const key = email === undefined ? undefined : deps.profiles.emailKey(tag, email)
  const named = context.trusted ? facts.keys.customerId : undefined
  const customerId = named ?? (known?.customerKey && known.keys.customerId)
  const given = facts.keys.email === undefined || named === undefined ? undefined : key
  const [owners, customer] = await Promise.all([
    key === undefined ? undefined : deps.profiles.byEmail(tag, key),
    customerId === undefined
      ? undefined
      : findCustomer(tag, { customerId, email: given, at: context.receivedAt }, deps),
  ])
  return { email: owners && { ...owners, key: key! }, customer }
}

/** The fingerprint of the customer id that a trusted event gives and that names one customer. */
export const givenCustomer = (
  { trusted }: Pick<EventContext, 'trusted'>,
  { facts, customer }: Pick<ResolvedUser, 'facts' | 'customer'>,
): EmailKey | undefined =>
  trusted && facts.keys.customerId !== undefined && !customer?.isShared ? customer?.key : undefined

/** The consent key of an e-mail or a customer id. No user id from a caller can have this form. */
export const waitingFor = (key: EmailKey): string => `(e-mail ${key})`

/** A trusted call with both a user id and an e-mail confirms that they belong together. */
export const isConfirming = ({ trusted }: Pick<EventContext, 'trusted'>, { keys }: UserFacts): boolean =>
  trusted && keys.email !== undefined

function emailOthers(userId: string, { confirmed, claimants, isCrowded, key }: EmailOthers): EmailOthers {
  const others = claimants.filter((each) => each.userId !== userId)
  return { key, claimants: others, isCrowded, ...(confirmed && confirmed.userId !== userId && { confirmed }) }
}

const customerOthers = (userId: string, { key, users, isCrowded, isShared }: Customer): CustomerOthers => ({
  key,
  others: users.filter((each) => each.userId !== userId),
  isCrowded,
  isShared,
})

/**
 * The stored consents that concern an event. A claimant is joined to the e-mail if a trusted call gave it too. With too
 * many claimants, all count as refusing, because some may refuse.
 */
export function consentsOf({ own, email, customer }: Pick<ResolvedUser, 'own' | 'email' | 'customer'>): StoredConsents {
  const consentsAmong = (users: readonly KnownUser[]) => users.flatMap(({ profile }) => profile.consent ?? [])
  const ofCustomer = customer?.isCrowded ? [refusesAll] : consentsAmong(customer?.others ?? [])
  if (!email) return ofCustomer.length > 0 ? { own: own?.consent, joined: ofCustomer } : { own: own?.consent }
  const { confirmed, claimants, isCrowded, key } = email
  const isJoined = ({ profile }: KnownUser) => profile.confirmed?.includes(key) === true
  return {
    own: own?.consent,
    joined: [...ofCustomer, ...consentsAmong([...(confirmed ? [confirmed] : []), ...claimants.filter(isJoined)])],
    claimed: isCrowded ? [refusesAll] : consentsAmong(claimants.filter((user) => !isJoined(user))),
  }
}

/**
 * The last location of the user's browser. If only the e-mail is known: the location of its confirmed user, else the
 * one that all claimants share; if they differ within one country, that country.
 */
export function lastPlace(
  { hasExplicitUserId }: Pick<EventContext, 'hasExplicitUserId'>,
  { own, email }: ResolvedUser,
): Location | undefined {
  if (hasExplicitUserId || own?.place) return own?.place
  const ownerPlace = email?.confirmed?.profile.place
  if (ownerPlace) return ownerPlace
  const [first, ...rest] = email?.claimants.flatMap(({ profile }) => profile.place ?? []) ?? []
  if (!first || rest.some(({ country }) => country !== first.country)) return undefined
  return rest.every(({ region }) => region === first.region) ? first : { country: first.country! }
}

/**
 * The history for plugins. A trusted event has only the history of its own user: a claimant of the e-mail must not
 * change the event.
 */
export function historyOf(
  { trusted }: Pick<EventContext, 'trusted'>,
  { own, email }: Pick<ResolvedUser, 'own' | 'email'>,
): History {
  const others: KnownUser[] =
    trusted || !email ? [] : [...email.claimants, ...(email.confirmed ? [email.confirmed] : [])]
  return Object.assign({}, own?.history, ...others.map(({ profile }) => profile.history))
}
