import type { Keyring } from '#account/keyring.ts'
import { stanceOf } from '#consent/consent.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { maxClaims, type StoredUser } from '#store/store.ts'
import { hasCustom, isCustomNew, searchableText } from './customData.ts'
import { addEmail, type EmailAssociation, type EmailKey, hasEmail, type Profile } from './profile.ts'
import { openRefusalLog, type RefusalLog } from './refusalLog.ts'
import { keyOf, openUnwritten, type ProfilesDeps, type UserRef } from './unwritten.ts'

export type { ProfilesDeps, UserRef }

/** The stored data of a user. `erasedAt` (epoch ms): everything received until then has been erased. */
export type FoundProfile = { profile?: Profile; erasedAt?: number }

export type KnownUser = { userId: string; profile: Profile }

/** The users of an e-mail. */
export type EmailOwners = {
  /** The owner: the first user for whom a trusted call gave the e-mail. */
  confirmed?: KnownUser
  /**
   * The other users who gave it, the last seen first. Unverified: anybody can claim any e-mail. Empty if `isCrowded`.
   */
  claimants: readonly KnownUser[]
  /** More claimants have refused a consent than the store keeps, so that their refusals are not all known. */
  isCrowded: boolean
}

/** Returns the new profile; the given one, or undefined, for no change. */
export type ProfileChange = (known: Profile | undefined) => Profile | undefined

/** The profiles of the users of all tags. The edge and the worker of a process share them. */
export type Profiles = {
  find(user: UserRef): Promise<FoundProfile>
  get(user: UserRef): Promise<Profile | undefined>
  /** The keyed fingerprint of an e-mail, by which users are looked up. */
  emailKey(tag: UserRef['tag'], email: string): EmailKey
  byEmail(tag: UserRef['tag'], key: EmailKey): Promise<EmailOwners>
  /** The first user for whom a trusted call gave the e-mail. */
  ownerOf(tag: UserRef['tag'], key: EmailKey): Promise<KnownUser | undefined>
  /** At most 100 users whose custom data has this value for this key. */
  byCustom(tag: UserRef['tag'], key: string, value: unknown): Promise<string[]>
  /**
   * Changes a profile. Changes of one user run one after the other. `get` returns the new profile as soon as this
   * resolves; `written` resolves when it is on disk. `association` is added to the profile.
   */
  change(user: UserRef, change: ProfileChange, association?: EmailAssociation): Promise<{ written: Promise<void> }>
  /** The latest refusals and erasures, by `tagId/userId` and `tagId/emailKey`. */
  refusals: Pick<RefusalLog, 'mark' | 'hasSince'>
  /** Erases a user. `write` removes it from the store; pending writes of its profile are cancelled. */
  forget(user: UserRef, write: () => Promise<void>): Promise<void>
}

/** Whether a change removes the e-mail, so that the user is no longer found by it. */
const losesEmail = (known: Profile | undefined, { keys }: Profile) =>
  known?.keys.email !== undefined && keys.email === undefined

/** Whether a user refuses something new, or begins to refuse for an e-mail. */
const isRefusal = (before: Profile | undefined, { consent, claims, confirmed }: Profile) =>
  stanceOf(consent) === 'refuses' &&
  (consent !== before?.consent || claims !== before?.claims || confirmed !== before?.confirmed)

const namesOf = (user: UserRef, { claims = [], confirmed = [] }: Profile): string[] => [
  keyOf(user),
  ...[...claims, ...confirmed].map((key) => `${user.tag.tagId}/${key}`),
]

const maxFound = 100
/**
 * The maximum number of unwritten claims of an e-mail. With more the e-mail counts as crowded until they are written.
 */
const maxUnwritten = 2 * maxClaims

const byLastSeen = (one: KnownUser, other: KnownUser) => other.profile.seenAt - one.profile.seenAt

/** Looks up users by e-mail, in the store and among the unwritten profiles. */
function openEmails(
  { store, keys }: ProfilesDeps,
  unwritten: ReturnType<typeof openUnwritten>,
  find: Profiles['find'],
): Pick<Profiles, 'emailKey' | 'byEmail' | 'ownerOf'> {
  async function withProfile(user: UserRef): Promise<KnownUser[]> {
    const { profile } = await find(user)
    return profile ? [{ userId: user.userId, profile }] : []
  }
  async function idsOf(tag: UserRef['tag'], key: EmailKey) {
    const written = await store.users.byEmail(tag.tagId, new Uint8Array(Buffer.from(key, 'hex')))
    const stillHas = (userId: string, list: 'claims' | 'confirmed') =>
      unwritten.stillHasEmail({ tag, userId }, key, list)
    const { confirmed } = written
    const [first] = unwritten.usersOf(tag.tagId, key, 'confirmed')
    const owner = confirmed !== undefined && stillHas(confirmed, 'confirmed') ? confirmed : first
    const unwrittenClaims = unwritten.usersOf(tag.tagId, key, 'claims')
    const isCrowded = written.isCrowded || unwrittenClaims.size > maxUnwritten
    const all = new Set([...written.claimants.filter((userId) => stillHas(userId, 'claims')), ...unwrittenClaims])
    return { owner, claimants: isCrowded ? [] : [...all].filter((userId) => userId !== owner), isCrowded }
  }
  return {
    emailKey: (tag, email) => Buffer.from(keys.team(tag.teamId).emailFingerprint(tag.tagId, email)).toString('hex'),
    async byEmail(tag, key) {
      const { owner, claimants, isCrowded } = await idsOf(tag, key)
      const [confirmed] = owner === undefined ? [] : await withProfile({ tag, userId: owner })
      const found = await Promise.all(claimants.map((userId) => withProfile({ tag, userId })))
      return { ...(confirmed && { confirmed }), claimants: found.flat().sort(byLastSeen), isCrowded }
    },
    async ownerOf(tag, key) {
      const { owner } = await idsOf(tag, key)
      return owner === undefined ? undefined : (await withProfile({ tag, userId: owner }))[0]
    },
  }
}

/**
 * Profiles are encrypted in the store. Only those that are not written yet are held in memory, and are read from there.
 */
export function openProfiles(deps: ProfilesDeps, signal: AbortSignal): Profiles {
  const { users } = deps.store
  const unwritten = openUnwritten(deps, signal)
  const withLock = keyedMutex()
  const refusals = openRefusalLog()

  async function find(user: UserRef): Promise<FoundProfile> {
    const pending = unwritten.of(user)
    if (pending) return toFoundProfile(pending.profile)
    const row = await users.get(user.tag.tagId, user.userId)
    const pendingSince = unwritten.of(user)
    if (pendingSince) return toFoundProfile(pendingSince.profile)
    return row ? openRow(user, row, deps) : {}
  }
  return {
    find,
    refusals,
    get: async (user) => (await find(user)).profile,
    ...openEmails(deps, unwritten, find),
    async byCustom(tag, key, value) {
      const text = searchableText(value)
      if (text === undefined) return []
      const fingerprint = deps.keys.team(tag.teamId).customFingerprint(tag.tagId, key, text)
      const found = [
        ...(await users.byCustom(tag.tagId, fingerprint, maxFound)),
        ...unwritten.withCustom(tag, key, text),
      ]
      const userIds = [...new Set(found)].slice(0, maxFound)
      const profiles = await Promise.all(userIds.map(async (userId) => (await find({ tag, userId })).profile))
      return userIds.filter((_, index) => hasCustom(profiles[index]?.custom ?? {}, key, text))
    },
    change: (user, change, association) =>
      withLock(keyOf(user), async () => {
        const { profile: before, erasedAt } = await find(user)
        const changed = change(before) ?? before
        const profile =
          changed && association && !hasEmail(changed, association) ? addEmail(changed, association) : changed
        if (!profile || profile === before) return { written: unwritten.of(user)?.written ?? Promise.resolve() }
        if (isRefusal(before, profile)) refusals.add(namesOf(user, profile), profile.consent)
        const withErasure = erasedAt === undefined ? profile : { ...profile, erasedAt }
        const changes = { isUnnamed: losesEmail(before, profile), hasNewCustom: isCustomNew(before, profile) }
        return { written: unwritten.put(user, withErasure, changes) }
      }),
    forget: (user, write) =>
      withLock(keyOf(user), async () => {
        const entry = unwritten.of(user)
        if (entry) unwritten.drop(entry)
        await write()
        refusals.add([keyOf(user)])
      }),
  }
}

const toFoundProfile = (profile: Profile): FoundProfile =>
  profile.erasedAt === undefined ? { profile } : { profile, erasedAt: profile.erasedAt }

/**
 * A profile that cannot be decrypted is logged and ignored, so that events still flow. An empty row is an erasure mark.
 */
function openRow(user: UserRef, { sealed, seenAt }: StoredUser, { keys, log }: ProfilesDeps): FoundProfile {
  if (sealed.length === 0) return { erasedAt: seenAt }
  const { tag, userId } = user
  try {
    const team = keys.team(tag.teamId)
    return toFoundProfile(upgraded(JSON.parse(team.openUser(sealed, keyOf(user)).toString()), tag, team))
  } catch (error) {
    log({
      level: 'error',
      message: 'a user profile cannot be decrypted and is ignored',
      tagId: tag.tagId,
      userId,
      error,
    })
    return {}
  }
}

/** Older profiles have `findable` instead of `claims`: the user was found by its own e-mail, which becomes a claim. */
function upgraded(
  { findable, ...profile }: Profile & { findable?: true },
  tag: UserRef['tag'],
  team: ReturnType<Keyring['team']>,
): Profile {
  const { email } = profile.keys
  if (!findable || profile.claims || email === undefined) return profile
  return { ...profile, claims: [Buffer.from(team.emailFingerprint(tag.tagId, email)).toString('hex')] }
}
