import { refusesAll, type StoredConsents } from '#consent/consent.ts'
import type { History } from '#contract/tag.ts'
import type { EventContext, RecordEvent } from '#event/record.ts'
import type { Location } from '#geo/locate.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { type EmailKey, type Profile, readUserFacts, type UserFacts } from '#user/profile.ts'
import type { EmailOwners, KnownUser, Profiles } from '#user/profiles.ts'
import type { CaptureRuleSource } from './captureRules.ts'

/**
 * The user of an event. A trusted event with only an e-mail belongs to the user for whom a trusted call first gave the
 * e-mail, or to a user of its own. Claimants of the e-mail contribute their click ids, their cookies and the consent
 * that all of them give; never an id or identity keys.
 */
export type ResolvedUser = {
  /** The user id that the event is sent with. */
  userId: string
  facts: UserFacts
  /** The profile of that user id. */
  own?: Profile
  /** The event came with another user id and belongs to this user by its e-mail. */
  emailMatch?: string
  /** The other users of the e-mail; absent without an e-mail. */
  email?: EmailOthers
  /**
   * The key of the consent that releases the event if it is held: its user id, or its e-mail if the caller gave no user
   * id.
   */
  waitsFor: string
  /** The user was erased after the event came in. */
  isErased: boolean
}

type EmailOthers = EmailOwners & { key: EmailKey }

type ResolveUserDeps = { profiles: Profiles; captures: CaptureRuleSource['ofTag'] }

/** Finds the user of an event. A user id that was generated for the event has no profile yet and is not looked up. */
export async function resolveUser(
  recordEvent: RecordEvent,
  tag: Snapshot,
  deps: ResolveUserDeps,
): Promise<ResolvedUser> {
  const { event, context, userId, isErased } = recordEvent
  const facts = readUserFacts(event, await deps.captures(tag), context.kind)
  const { profile, erasedAt } = context.hasExplicitUserId ? await deps.profiles.find({ tag, userId }) : {}
  const email = facts.keys.email ?? profile?.keys.email
  const isErasedAt = (at = -1) => isErased || at >= context.receivedAt
  const base = { userId, facts, isErased: isErasedAt(erasedAt), waitsFor: userId, ...(profile && { own: profile }) }
  if (email === undefined) return base
  const key = deps.profiles.emailKey(tag, email)
  const owners = await deps.profiles.byEmail(tag, key)
  if (context.hasExplicitUserId) return { ...base, email: emailOthers(userId, owners, key) }
  const waitsFor = waitingFor(key)
  if (!context.trusted) return { ...base, waitsFor, email: emailOthers(userId, owners, key) }
  const { confirmed } = owners
  const others = emailOthers(confirmed?.userId ?? userId, owners, key)
  if (!confirmed) return { ...base, waitsFor, email: others }
  const emailMatch = confirmed.userId !== userId && { emailMatch: confirmed.userId }
  const { userId: ownerId, profile: own } = confirmed
  return { ...base, userId: ownerId, own, waitsFor, email: others, isErased: isErasedAt(own.erasedAt), ...emailMatch }
}

/** The consent key of an e-mail. No user id that a caller can present has this form. */
export const waitingFor = (key: EmailKey): string => `(e-mail ${key})`

/** A trusted call with both a user id and an e-mail confirms that they belong together. */
export const isConfirming = ({ trusted }: Pick<EventContext, 'trusted'>, { keys }: UserFacts): boolean =>
  trusted && keys.email !== undefined

function emailOthers(userId: string, { confirmed, claimants, isCrowded }: EmailOwners, key: EmailKey): EmailOthers {
  const others = claimants.filter((each) => each.userId !== userId)
  return { key, claimants: others, isCrowded, ...(confirmed && confirmed.userId !== userId && { confirmed }) }
}

/**
 * The stored consents that concern an event. A claimant whom a trusted call gave the e-mail too is joined to it. Of too
 * many claimants some may refuse: all count as refusing.
 */
export function consentsOf({ own, email }: Pick<ResolvedUser, 'own' | 'email'>): StoredConsents {
  if (!email) return { own: own?.consent }
  const { confirmed, claimants, isCrowded, key } = email
  const isJoined = ({ profile }: KnownUser) => profile.confirmed?.includes(key) === true
  const consentsAmong = (users: readonly KnownUser[]) => users.flatMap(({ profile }) => profile.consent ?? [])
  return {
    own: own?.consent,
    joined: consentsAmong([...(confirmed ? [confirmed] : []), ...claimants.filter(isJoined)]),
    claimed: isCrowded ? [refusesAll] : consentsAmong(claimants.filter((user) => !isJoined(user))),
  }
}

/**
 * The last location of the user's browser. With only an e-mail: that of its confirmed user, else the one that all
 * claimants share; if they differ within one country, that country.
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
 * The history that plugins get. A trusted event has only the history of its own user: a claimant of the e-mail must not
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
