import type { Keyring } from '#account/keyring.ts'
import { stanceOf } from '#consent/consent.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Store, StoredUser, UserLookupKeys } from '#store/store.ts'
import { hasCustom, searchableValues } from './customData.ts'
import type { EmailKey, Profile } from './profile.ts'

/** A user of a tag. */
export type UserRef = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; userId: string }

export type ProfilesDeps = { store: { users: Store['users'] }; keys: Keyring; clock: Clock; log: Log }

type Entry = {
  user: UserRef
  profile: Profile
  /** The user is no longer found by the e-mails that are stored for it, except for those in the profile. */
  isUnnamed: boolean
  hasNewCustom: boolean
  written: Promise<void>
}
type ProfileChanges = Pick<Entry, 'isUnnamed' | 'hasNewCustom'>

export const keyOf = ({ tag, userId }: UserRef) => `${tag.tagId}/${userId}`

const fromHex = (keys: readonly EmailKey[] = []) => keys.map((key) => new Uint8Array(Buffer.from(key, 'hex')))

/** The row and the lookup keys that are stored for a user. */
function rowOf(
  { user, profile, isUnnamed, hasNewCustom }: Entry,
  keys: ReturnType<Keyring['team']>,
): [StoredUser, UserLookupKeys] {
  const { tagId } = user.tag
  const sealed = keys.sealUser(Buffer.from(JSON.stringify(profile)), keyOf(user))
  const lookupKeys: UserLookupKeys = {
    claims: fromHex(profile.claims),
    confirmed: fromHex(profile.confirmed),
    stance: stanceOf(profile.consent),
    isUnnamed,
    ...(hasNewCustom && {
      customs: searchableValues(profile.custom).map(([name, text]) => keys.customFingerprint(tagId, name, text)),
    }),
  }
  return [{ tagId, userId: user.userId, sealed, seenAt: profile.seenAt }, lookupKeys]
}

/** An index from e-mail to unwritten users, in order of insertion. */
function openEmailIndex() {
  const usersByEmail = new Map<string, Set<string>>()
  const emailOf = ({ tag }: UserRef, key: EmailKey) => `${tag.tagId}/${key}`
  return {
    of: (tagId: string, key: EmailKey): ReadonlySet<string> => usersByEmail.get(`${tagId}/${key}`) ?? new Set(),
    add(user: UserRef, keys: readonly EmailKey[] = []) {
      for (const key of keys) {
        const email = emailOf(user, key)
        usersByEmail.set(email, (usersByEmail.get(email) ?? new Set()).add(user.userId))
      }
    },
    drop(user: UserRef, keys: readonly EmailKey[] = []) {
      for (const key of keys) {
        const users = usersByEmail.get(emailOf(user, key))
        users?.delete(user.userId)
        if (users?.size === 0) usersByEmail.delete(emailOf(user, key))
      }
    },
  }
}

/** The profiles that are not written yet. For each user only the newest is written. */
export function openUnwritten(deps: ProfilesDeps, signal: AbortSignal) {
  const unwritten = new Map<string, Entry>()
  const emails = { claims: openEmailIndex(), confirmed: openEmailIndex() }

  /** Writes the profile, again if it has changed during the write. */
  async function write(key: string, entry: Entry): Promise<void> {
    const keys = deps.keys.team(entry.user.tag.teamId)
    const isCurrent = () => unwritten.get(key) === entry
    for (let last: Profile | undefined; last !== entry.profile && isCurrent() && !signal.aborted; ) {
      last = entry.profile
      const row = rowOf(entry, keys)
      const put = async () => {
        if (isCurrent()) await deps.store.users.put(...row)
      }
      await retryUntilDone('write a user profile', put, deps, signal)
    }
    if (isCurrent()) drop(entry)
  }

  const index = ({ user, profile }: Pick<Entry, 'user' | 'profile'>, operation: 'add' | 'drop') => {
    for (const list of ['claims', 'confirmed'] as const) emails[list][operation](user, profile[list])
  }
  function drop(entry: Entry): void {
    unwritten.delete(keyOf(entry.user))
    index(entry, 'drop')
  }
  function put(user: UserRef, profile: Profile, { isUnnamed, hasNewCustom }: ProfileChanges): Promise<void> {
    const key = keyOf(user)
    const before = unwritten.get(key)
    if (before) index(before, 'drop')
    index({ user, profile }, 'add')
    if (before) {
      before.profile = profile
      before.isUnnamed ||= isUnnamed
      before.hasNewCustom ||= hasNewCustom
      return before.written
    }
    const entry = { user, profile, isUnnamed, hasNewCustom, written: Promise.resolve() }
    unwritten.set(key, entry)
    entry.written = write(key, entry)
    return entry.written
  }
  const of = (user: UserRef) => unwritten.get(keyOf(user))
  return {
    of,
    /** The unwritten users of an e-mail. */
    usersOf: (tagId: string, key: EmailKey, list: keyof typeof emails) => emails[list].of(tagId, key),
    /** Whether a user that the store finds by this e-mail still has it. */
    stillHasEmail(user: UserRef, key: EmailKey, list: keyof typeof emails): boolean {
      const entry = of(user)
      return !entry?.isUnnamed || (entry.profile[list]?.includes(key) ?? false)
    },
    withCustom: ({ tagId }: UserRef['tag'], key: string, text: string) =>
      [...unwritten.values()].flatMap(({ user, profile }) =>
        user.tag.tagId === tagId && hasCustom(profile.custom, key, text) ? [user.userId] : [],
      ),
    put,
    drop,
  }
}
