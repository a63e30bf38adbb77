import type { Keyring } from '#account/keyring.ts'
import { createBatcher, type PendingItem } from '#kit/batcher.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { UserStore, UserWrite } from '#store/users.ts'
import { hasCustom } from './customData.ts'
import { type EmailKey, lookupKeys, type Profile } from './profile.ts'
import {
  type FoundProfile,
  keyOf,
  openRow,
  type ProfileChanges,
  profileWrite,
  toFoundProfile,
  type UserRef,
  withErasure,
} from './storedProfile.ts'

export type ProfilesDeps = {
  store: { users: UserStore }
  keys: Keyring
  clock: Clock
  log: Log
  /**
   * Rebuilds the profile of a user without a stored one from the event for which the id was generated
   * (`eventProfile.ts`).
   */
  eventProfile(user: UserRef): Promise<Profile | undefined>
}

/** Returns the new profile; undefined if there is none. Pure, so that it can be applied again to a newer profile. */
type AppliedChange = (known: Profile | undefined) => Profile | undefined

type Entry = ProfileChanges & {
  user: UserRef
  profile: Profile
  /** The version of the stored row that the profile is based on. */
  version: number
  /** The changes since that version. */
  changes: AppliedChange[]
  written: Promise<void>
}

/**
 * A change of a profile: the resulting profile, the stored data before it, and a function to apply the change again.
 */
type UnwrittenChange = ProfileChanges & { profile: Profile; before: FoundProfile; apply: AppliedChange }

/** The maximum profiles per write. */
const maxGroup = 500

/** An index from e-mails to unwritten users, in order of insertion. */
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

/** Profiles that are changed in memory but not written to the store yet, by user id and by e-mail key. */
function openEntries() {
  const entries = new Map<string, Entry>()
  const emails = { claims: openEmailIndex(), confirmed: openEmailIndex() }
  const index = ({ user, profile }: Pick<Entry, 'user' | 'profile'>, operation: 'add' | 'drop') => {
    for (const list of ['claims', 'confirmed'] as const) emails[list][operation](user, lookupKeys(profile, list))
  }
  return {
    emails,
    of: (user: UserRef) => entries.get(keyOf(user)),
    isCurrent: (entry: Entry) => entries.get(keyOf(entry.user)) === entry,
    all: () => entries.values(),
    add(entry: Entry) {
      entries.set(keyOf(entry.user), entry)
      index(entry, 'add')
    },
    setProfile(entry: Entry, profile: Profile) {
      index(entry, 'drop')
      entry.profile = profile
      index(entry, 'add')
    },
    drop(entry: Entry) {
      entries.delete(keyOf(entry.user))
      index(entry, 'drop')
    },
  }
}

/**
 * Writes profiles in groups. If another process has changed a profile meanwhile, the changes are applied again to the
 * new row.
 */
function openGroupWriter(entries: ReturnType<typeof openEntries>, deps: ProfilesDeps) {
  const { users } = deps.store

  /** Applies the changes to the current row. Drops them if the user was erased meanwhile. */
  async function rebase(entry: Entry): Promise<void> {
    const { tag, userId } = entry.user
    const found = openRow(entry.user, await users.get(tag.tagId, userId), deps)
    if (!entries.isCurrent(entry)) return
    const isErased = (found.erasedAt ?? -1) > (entry.profile.erasedAt ?? -1)
    const changed = isErased
      ? undefined
      : entry.changes.reduce((profile, apply) => apply(profile), found.profile as Profile | undefined)
    if (!changed) return entries.drop(entry)
    entry.version = found.version
    entry.hasNewCustom = true
    entries.setProfile(entry, withErasure(changed, found.erasedAt))
  }
  async function record(entry: Entry, count: number, isWritten: boolean): Promise<void> {
    if (!isWritten) return rebase(entry)
    entry.version++
    entry.changes.splice(0, count)
  }
  const openGroups = () => createBatcher<Entry, void>(writeGroup, { limit: maxGroup, weigh: () => 1 })
  async function writeGroup(group: readonly PendingItem<Entry, void>[]): Promise<void> {
    const sealed: { each: PendingItem<Entry, void>; write: UserWrite; count: number }[] = []
    for (const each of group) {
      const entry = each.unit
      if (!entries.isCurrent(entry)) each.resolve()
      else {
        const write = { ...profileWrite(entry.user, entry.profile, entry, deps.keys), basedOn: entry.version }
        sealed.push({ each, write, count: entry.changes.length })
      }
    }
    const results = sealed.length > 0 ? await users.put(sealed.map(({ write }) => write)) : []
    for (const [n, { each, count }] of sealed.entries()) {
      await record(each.unit, count, results[n]!)
      each.resolve()
    }
  }
  const batchers = new Map<number, ReturnType<typeof openGroups>>()
  return (entry: Entry): Promise<void> => {
    const group = users.groupOf?.(entry.user.tag.tagId) ?? 0
    const batcher = batchers.get(group) ?? openGroups()
    batchers.set(group, batcher)
    return batcher.add(entry)
  }
}

/** Profiles that are not written yet. Only the newest profile of each user is written. */
export function openUnwritten(deps: ProfilesDeps, signal: AbortSignal) {
  const entries = openEntries()
  const writeOnce = openGroupWriter(entries, deps)
  const { isCurrent, drop, of, emails } = entries

  /** Writes the profile until all its changes are written. */
  async function write(entry: Entry): Promise<void> {
    while (entry.changes.length > 0 && isCurrent(entry) && !signal.aborted)
      await retryUntilDone('write a user profile', () => writeOnce(entry), deps, signal)
    if (isCurrent(entry)) drop(entry)
  }
  function put(user: UserRef, { profile, before, apply, isUnnamed, hasNewCustom }: UnwrittenChange): Promise<void> {
    const known = of(user)
    if (known) {
      entries.setProfile(known, profile)
      known.changes.push(apply)
      known.isUnnamed ||= isUnnamed
      known.hasNewCustom ||= hasNewCustom
      return known.written
    }
    const { version } = before
    const entry = { user, profile, version, changes: [apply], isUnnamed, hasNewCustom, written: Promise.resolve() }
    entries.add(entry)
    entry.written = write(entry)
    return entry.written
  }
  return {
    /** The unwritten data of a user. */
    find(user: UserRef): FoundProfile | undefined {
      const entry = of(user)
      return entry && toFoundProfile(entry.profile, entry.version)
    },
    writtenOf: (user: UserRef) => of(user)?.written ?? Promise.resolve(),
    /** The unwritten users of an e-mail. */
    usersOf: (tagId: string, key: EmailKey, list: keyof typeof emails) => emails[list].of(tagId, key),
    /** True if a user that the store finds by this e-mail still has it. */
    stillHasEmail(user: UserRef, key: EmailKey, list: keyof typeof emails): boolean {
      const entry = of(user)
      return !entry?.isUnnamed || lookupKeys(entry.profile, list).includes(key)
    },
    withCustom: ({ tagId }: UserRef['tag'], key: string, text: string, trusted: boolean) =>
      [...entries.all()].flatMap(({ user, profile }) =>
        user.tag.tagId === tagId && hasCustom(profile, key, text, trusted) ? [user.userId] : [],
      ),
    put,
    /** Cancels the unwritten changes of a user. */
    cancel(user: UserRef) {
      const entry = of(user)
      if (entry) drop(entry)
    },
  }
}
