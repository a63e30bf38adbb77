import { overallConsentOf } from '#consent/consent.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { type EmailUsers, maxClaims } from '#store/users.ts'
import { hasCustom, isCustomNew, searchableText } from './customData.ts'
import {
  addEmail,
  type EmailAssociation,
  type EmailKey,
  hasEmail,
  isOtherCustomer,
  lookupKeys,
  type Profile,
} from './profile.ts'
import { openReadAhead } from './readAhead.ts'
import { openRefusalLog, type RefusalLog } from './refusalLog.ts'
import { type FoundProfile, fingerprintBytes, keyOf, openRow, type UserRef, withErasure } from './storedProfile.ts'
import { openUnwritten, type ProfilesDeps } from './unwritten.ts'

export type { UserRef }

export type KnownUser = { userId: string; profile: Profile }

/** The users of an e-mail. */
export type EmailOwners = {
  /** The owner: the first user for whom a trusted call gave the e-mail. */
  confirmed?: KnownUser
  /**
   * The other users who gave it, most recently seen first. Unverified: anybody can claim any e-mail. Empty if
   * `isCrowded`.
   */
  claimants: readonly KnownUser[]
  /** More claimants have refused a consent than the store keeps, so not all refusals are known. */
  isCrowded: boolean
}

/** Returns the new profile. Returning the same profile, or undefined, means no change. */
type ProfileChange = (known: Profile | undefined) => Profile | undefined

/** The profiles of the users of all tags. The edge and the worker of a process share them. */
export type Profiles = {
  find(user: UserRef): Promise<Omit<FoundProfile, 'version'>>
  get(user: UserRef): Promise<Profile | undefined>
  /**
   * Reads users in one batch, before `find` is called for each of them. The returned function drops unused rows.
   * Never throws: `find` reads users that could not be read now.
   */
  readAhead(tag: UserRef['tag'], userIds: readonly string[]): Promise<() => void>
  /** The keyed fingerprint of an e-mail, by which users are looked up. */
  emailKey(tag: UserRef['tag'], email: string): EmailKey
  byEmail(tag: UserRef['tag'], key: EmailKey): Promise<EmailOwners>
  /** The id of the owner of each e-mail; undefined if it has none. Decrypts no profile. */
  ownerIdsOf(tag: UserRef['tag'], keys: readonly EmailKey[]): Promise<(string | undefined)[]>
  /** The first user for whom a trusted call gave the e-mail. */
  ownerOf(tag: UserRef['tag'], key: EmailKey): Promise<KnownUser | undefined>
  /**
   * At most 100 users whose custom data has this value for this key; with `trusted` only values from trusted calls.
   */
  byCustom(tag: UserRef['tag'], key: string, value: unknown, trusted?: boolean): Promise<string[]>
  /** Up to `limit` stored users of a tag with ids after this one, and the id to continue after; undefined at the end. */
  listAfter(tag: UserRef['tag'], after: string, limit: number): Promise<{ users: KnownUser[]; next?: string }>
  /**
   * Changes a profile. Changes of one user run one after the other. `get` returns the new profile as soon as this
   * resolves; `written` resolves when it is on disk. `association` is added to the profile. `isGenerated`: the id was
   * generated for this event, so the store is not read first.
   */
  change(
    user: UserRef,
    change: ProfileChange,
    association?: EmailAssociation,
    isGenerated?: boolean,
  ): Promise<{ written: Promise<void> }>
  /** The latest refusals and erasures, by `tagId/userId` and `tagId/emailKey`. */
  refusals: Pick<RefusalLog, 'mark' | 'hasSince' | 'erased'>
  /** Erases a user. `write` removes it from the store; pending writes of its profile are cancelled. */
  forget(user: UserRef, write: () => Promise<void>): Promise<void>
}

/** True if a change removes the e-mail or the customer id, so that the user can no longer be found by it. */
const removesEmail = (known: Profile | undefined, { keys, customerKey }: Profile) =>
  (known?.keys.email !== undefined && keys.email === undefined) ||
  (known?.customerKey !== undefined && known.customerKey !== customerKey) ||
  isOtherCustomer(known, keys)

/** True if a user refuses something new, or if an existing refusal now applies to another e-mail. */
const isRefusal = (before: Profile | undefined, { consent, claims, confirmed, customerKey }: Profile) =>
  overallConsentOf(consent) === 'refuses' &&
  (consent !== before?.consent ||
    claims !== before?.claims ||
    confirmed !== before?.confirmed ||
    customerKey !== before?.customerKey)

const namesOf = (user: UserRef, profile: Profile): string[] => [
  keyOf(user),
  ...[...lookupKeys(profile, 'claims'), ...lookupKeys(profile, 'confirmed')].map((key) => `${user.tag.tagId}/${key}`),
]

/** The maximum users that a search returns. */
export const maxFound = 100
/**
 * The maximum number of unwritten claims of an e-mail. Above it, the e-mail counts as crowded until the claims are
 * written.
 */
const maxUnwritten = 2 * maxClaims

const byLastSeen = (one: KnownUser, other: KnownUser) => other.profile.seenAt - one.profile.seenAt

/** Looks up users by e-mail, in the store and in unwritten profiles. */
function openEmails(
  { store, keys }: ProfilesDeps,
  unwritten: ReturnType<typeof openUnwritten>,
  findMany: (tag: UserRef['tag'], userIds: readonly string[]) => Promise<KnownUser[]>,
): Pick<Profiles, 'emailKey' | 'byEmail' | 'ownerIdsOf' | 'ownerOf'> {
  function ownerAmong({ confirmed }: EmailUsers, tag: UserRef['tag'], key: EmailKey): string | undefined {
    const [first] = unwritten.usersOf(tag.tagId, key, 'confirmed')
    const isConfirmed = confirmed !== undefined && unwritten.stillHasEmail({ tag, userId: confirmed }, key, 'confirmed')
    return isConfirmed ? confirmed : first
  }
  async function idsOf(tag: UserRef['tag'], key: EmailKey) {
    const written = await store.users.byEmail(tag.tagId, fingerprintBytes(key))
    const owner = ownerAmong(written, tag, key)
    const unwrittenClaims = unwritten.usersOf(tag.tagId, key, 'claims')
    const isCrowded = written.isCrowded || unwrittenClaims.size > maxUnwritten
    const stillClaims = (userId: string) => unwritten.stillHasEmail({ tag, userId }, key, 'claims')
    const all = new Set([...written.claimants.filter(stillClaims), ...unwrittenClaims])
    return { owner, claimants: isCrowded ? [] : [...all].filter((userId) => userId !== owner), isCrowded }
  }
  return {
    emailKey: (tag, email) => keys.team(tag.teamId).emailFingerprint(tag.tagId, email),
    async byEmail(tag, key) {
      const { owner, claimants, isCrowded } = await idsOf(tag, key)
      const found = await findMany(tag, owner === undefined ? claimants : [owner, ...claimants])
      const confirmed = found.find(({ userId }) => userId === owner)
      const others = found.filter(({ userId }) => userId !== owner)
      return { ...(confirmed && { confirmed }), claimants: others.sort(byLastSeen), isCrowded }
    },
    async ownerIdsOf(tag, emailKeys) {
      const written = await store.users.byEmails(tag.tagId, emailKeys.map(fingerprintBytes))
      return emailKeys.map((key, n) => ownerAmong(written[n]!, tag, key))
    },
    async ownerOf(tag, key) {
      const { owner } = await idsOf(tag, key)
      return owner === undefined ? undefined : (await findMany(tag, [owner]))[0]
    },
  }
}

/** Reads unwritten profiles from memory and the others from the store. */
function openLookups(deps: ProfilesDeps, unwritten: ReturnType<typeof openUnwritten>) {
  const { users } = deps.store
  const rows = openReadAhead(users)

  async function find(user: UserRef): Promise<FoundProfile> {
    const pending = unwritten.find(user)
    if (pending) return pending
    const ahead = rows.take(user)
    const row = ahead ? ahead.row : await users.get(user.tag.tagId, user.userId)
    if (!row) {
      const profile = await deps.eventProfile(user)
      return unwritten.find(user) ?? { version: 0, ...(profile && { profile }) }
    }
    await deps.keys.findTeamKey(user.tag.teamId, row.sealed)
    return unwritten.find(user) ?? openRow(user, row, deps)
  }
  /** The users that have a profile, read in one batch. */
  async function findMany(tag: UserRef['tag'], userIds: readonly string[]): Promise<KnownUser[]> {
    const stored = userIds.filter((userId) => unwritten.find({ tag, userId }) === undefined)
    const found = stored.length > 0 ? await users.getMany(tag.tagId, stored) : undefined
    for (const { sealed } of found?.values() ?? []) await deps.keys.findTeamKey(tag.teamId, sealed)
    return userIds.flatMap((userId) => {
      const user = { tag, userId }
      const { profile } = unwritten.find(user) ?? openRow(user, found?.get(userId), deps)
      return profile ? [{ userId, profile }] : []
    })
  }
  async function byCustom(tag: UserRef['tag'], key: string, value: unknown, trusted = false): Promise<string[]> {
    const text = searchableText(value)
    if (text === undefined) return []
    const fingerprint = deps.keys.team(tag.teamId).customFingerprint(tag.tagId, key, text, trusted)
    const written = await users.byCustom(tag.tagId, fingerprintBytes(fingerprint), maxFound)
    const userIds = [...new Set([...written, ...unwritten.withCustom(tag, key, text, trusted)])].slice(0, maxFound)
    const known = await findMany(tag, userIds)
    return known.filter(({ profile }) => hasCustom(profile, key, text, trusted)).map(({ userId }) => userId)
  }
  async function listAfter(tag: UserRef['tag'], after: string, limit: number) {
    const rows = await users.usersAfter(tag.tagId, after, limit)
    for (const { sealed } of rows) if (sealed.length > 0) await deps.keys.findTeamKey(tag.teamId, sealed)
    const known = rows.flatMap((row): KnownUser[] => {
      const user = { tag, userId: row.userId }
      const { profile } = unwritten.find(user) ?? openRow(user, row, deps)
      return profile ? [{ userId: row.userId, profile }] : []
    })
    const last = rows.length === limit ? rows.at(-1)?.userId : undefined
    return { users: known, ...(last !== undefined && { next: last }) }
  }
  function readAhead(tag: UserRef['tag'], userIds: readonly string[]): Promise<() => void> {
    return rows
      .load(tag, userIds, (user) => unwritten.find(user) !== undefined)
      .catch((error) => {
        deps.log({ level: 'error', message: 'could not read users ahead', tagId: tag.tagId, error })
        return () => {}
      })
  }
  return { find, findMany, byCustom, listAfter, readAhead, invalidate: rows.invalidate }
}

/** Profiles are encrypted in the store. Only unwritten profiles are held in memory, and are read from there. */
export function openProfiles(deps: ProfilesDeps, signal: AbortSignal): Profiles {
  const unwritten = openUnwritten(deps, signal)
  const { find, findMany, byCustom, listAfter, readAhead, invalidate } = openLookups(deps, unwritten)
  const withLock = keyedMutex()
  const refusals = openRefusalLog()

  return {
    find,
    refusals,
    readAhead,
    get: async (user) => (await find(user)).profile,
    ...openEmails(deps, unwritten, findMany),
    byCustom,
    listAfter,
    change: (user, change, association, isGenerated) =>
      withLock(keyOf(user), async () => {
        const found: FoundProfile = isGenerated ? (unwritten.find(user) ?? { version: 0 }) : await find(user)
        const before = found.profile
        const apply = (known: Profile | undefined) => {
          const changed = change(known) ?? known
          return changed && association && !hasEmail(changed, association) ? addEmail(changed, association) : changed
        }
        const profile = apply(before)
        if (!profile || profile === before) return { written: unwritten.writtenOf(user) }
        if (isRefusal(before, profile)) refusals.add(namesOf(user, profile), profile.consent)
        const changes = { isUnnamed: removesEmail(before, profile), hasNewCustom: isCustomNew(before, profile) }
        const next = withErasure(profile, found.erasedAt)
        invalidate(user)
        return { written: unwritten.put(user, { ...changes, profile: next, before: found, apply }) }
      }),
    forget: (user, write) =>
      withLock(keyOf(user), async () => {
        unwritten.cancel(user)
        await write()
        invalidate(user)
        refusals.add([keyOf(user)])
      }),
  }
}
