import { type Known, refusesAll } from '#consent/consent.ts'
import type { History } from '#contract/tag.ts'
import type { EventContext, KeptEvent } from '#event/record.ts'
import type { Located } from '#geo/locate.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { EmailOwners, KnownUser, People } from '#user/people.ts'
import { type EmailKey, type Profile, type Said, saidIn } from '#user/profile.ts'
import type { CapturesOf } from './captures.ts'

/**
 * Who an event is of. A trusted event by e-mail alone is of the user that a trusted call gave the e-mail for first, or of a
 * user of its own. Those who claim the e-mail lend it click ids and cookies, and what all of them agree to; never an id or keys.
 */
export type Whose = {
  /** The id that the event is told under. */
  userId: string
  said: Said
  /** What is known by that id. */
  own?: Profile
  /** The event came under another id, and is of this user by its e-mail. */
  joined?: string
  /** Those who are known by the e-mail besides; absent without an e-mail. */
  email?: EmailOthers
  /** Held events of it wait until this is agreed to: its user, or the e-mail where the caller named nobody. */
  waitsFor: string
  /** The user was erased after the event came in. */
  isErased: boolean
}

type EmailOthers = EmailOwners & {
  key: EmailKey
  /** A trusted call gave the e-mail for the user of the event. */
  isOwn: boolean
}

type On = { people: People; captures: CapturesOf['ofTag'] }

/** Looks up who an event is of. Of one whose id was just made for it nothing is known by that id. */
export async function whoseIs(kept: KeptEvent, tag: Snapshot, on: On): Promise<Whose> {
  const { event, context, userId, isErased } = kept
  const said = saidIn(event, await on.captures(tag), context.kind)
  const { profile, erasedAt } = context.presented ? await on.people.find({ tag, userId }) : {}
  const email = said.keys.email ?? profile?.keys.email
  const isGone = (at = -1) => isErased || at >= context.receivedAt
  const bare = { userId, said, isErased: isGone(erasedAt), waitsFor: userId, ...(profile && { own: profile }) }
  if (email === undefined) return bare
  const key = on.people.emailKey(tag, email)
  const owners = await on.people.byEmail(tag, key)
  if (context.presented) return { ...bare, email: besides(userId, owners, key, isConfirming(context, said)) }
  const waitsFor = waitingFor(key)
  if (!context.trusted) return { ...bare, waitsFor, email: besides(userId, owners, key, false) }
  const { confirmed } = owners
  const others = besides(confirmed?.userId ?? userId, owners, key, true)
  if (!confirmed) return { ...bare, waitsFor, email: others }
  const isJoined = confirmed.userId !== userId && { joined: confirmed.userId }
  const { userId: ownerId, profile: own } = confirmed
  return { ...bare, userId: ownerId, own, waitsFor, email: others, isErased: isGone(own.erasedAt), ...isJoined }
}

/** No id that a caller can present is written so. */
export const waitingFor = (key: EmailKey): string => `(e-mail ${key})`

/** A trusted call that names both an id and an e-mail says that they belong together. */
export const isConfirming = ({ trusted }: Pick<EventContext, 'trusted'>, { keys }: Said): boolean =>
  trusted && keys.email !== undefined

function besides(userId: string, owners: EmailOwners, key: EmailKey, confirms: boolean): EmailOthers {
  const { confirmed, claimants, isCrowded } = owners
  const others = claimants.filter((each) => each.userId !== userId)
  const isOwn = confirmed ? confirmed.userId === userId : confirms
  return { key, isOwn, claimants: others, isCrowded, ...(confirmed && !isOwn && { confirmed }) }
}

/**
 * What is stored that decides about an event: the word of the user whom a trusted call gave the e-mail for goes before that
 * of those who claim it.
 */
export function consentsOf({ own, email }: Pick<Whose, 'own' | 'email'>): Known {
  const ofOwner = email?.confirmed?.profile.consent
  const claimed = email?.claimants.flatMap(({ profile }) => profile.consent ?? []) ?? []
  const others = ofOwner ? [ofOwner] : email?.isCrowded ? [refusesAll] : claimed
  return { own: own?.consent, others, ownsEmail: email?.isOwn === true }
}

/**
 * Where the browser of this person was last. By an e-mail alone: of the user whom a trusted call gave it for, else where all
 * were who claim it; of places in one country that differ, the country.
 */
export function lastPlace({ presented }: Pick<EventContext, 'presented'>, { own, email }: Whose): Located | undefined {
  if (presented || own?.place) return own?.place
  const ofOwner = email?.confirmed?.profile.place
  if (ofOwner) return ofOwner
  const [first, ...rest] = email?.claimants.flatMap(({ profile }) => profile.place ?? []) ?? []
  if (!first || rest.some(({ country }) => country !== first.country)) return undefined
  return rest.every(({ region }) => region === first.region) ? first : { country: first.country! }
}

/**
 * What plugins remember of the person. That of a trusted event is what is known of its user: who claims an e-mail must not
 * change what the event becomes.
 */
export function historyOf(
  { trusted }: Pick<EventContext, 'trusted'>,
  { own, email }: Pick<Whose, 'own' | 'email'>,
): History {
  const others: KnownUser[] =
    trusted || !email ? [] : [...email.claimants, ...(email.confirmed ? [email.confirmed] : [])]
  return Object.assign({}, own?.history, ...others.map(({ profile }) => profile.history))
}
