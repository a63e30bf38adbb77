import type { Keyring } from '#account/keyring.ts'
import type { Clock } from '#kit/clock.ts'
import { insist } from '#kit/insist.ts'
import type { Log } from '#kit/log.ts'
import { turns } from '#kit/turns.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Store, UserRecord } from '#store/store.ts'
import { customSigns, findable, hasCustom, isCustomNew } from './custom.ts'
import type { Profile } from './profile.ts'

/** Which user of which tag. */
export type Whom = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; userId: string }

/** What is known of a user; `erasedAt` (epoch ms) where what came until then has been erased. */
export type Found = { profile?: Profile; erasedAt?: number }

/** What becomes of a profile; the one before, or undefined, where nothing changes. */
export type Change = (known: Profile | undefined) => Profile | undefined

/** What is known of the users of the tags. Edge and worker of one process share it: what one learns the other knows. */
export type People = {
  find(whom: Whom): Promise<Found>
  get(whom: Whom): Promise<Profile | undefined>
  /** The user that was known by this e-mail first. */
  byEmail(tag: Whom['tag'], email: string): Promise<{ userId: string; profile: Profile } | undefined>
  /** Some of the users whose custom data has this value under this key. */
  byCustom(tag: Whom['tag'], key: string, value: unknown): Promise<string[]>
  /**
   * Changes what is known, one after the other for each user: `get` answers it as soon as this resolves, `written`
   * resolves when it is on disk. With `email` the user can be found by it, unless another one is.
   */
  change(whom: Whom, change: Change, email?: string): Promise<{ written: Promise<void> }>
  /** Forgets a user. `write` takes it out of the store; nothing that was known before is written after it. */
  forget(whom: Whom, write: () => Promise<void>): Promise<void>
}

export type PeopleWorld = { store: { users: Store['users'] }; keys: Keyring; clock: Clock; log: Log }

type Unwritten = {
  whom: Whom
  profile: Profile
  emails: Set<string>
  /** What e-mails led there before the ones of `emails` lead there no more. */
  isUnnamed: boolean
  hasNewCustom: boolean
  written: Promise<void>
}

/** An e-mail that was known and is no more: nobody is found by it. */
const isUnnamed = (known: Profile | undefined, { keys }: Profile) =>
  known?.keys.email !== undefined && keys.email === undefined

const mostFound = 100

const keyOf = ({ tag, userId }: Whom) => `${tag.tagId}/${userId}`
const nameOf = ({ tagId }: Whom['tag'], email: string) => `${tagId}/${email.trim().toLowerCase()}`

/** What the store is given of a user as it is now. */
function rowOf(
  { whom, profile, emails, isUnnamed, hasNewCustom }: Unwritten,
  keys: ReturnType<Keyring['team']>,
): Parameters<Store['users']['put']> {
  const { tagId } = whom.tag
  const sealed = keys.sealUser(Buffer.from(JSON.stringify(profile)), keyOf(whom))
  const aliases = [...emails].map((email) => keys.alias(tagId, email))
  const customs = hasNewCustom
    ? customSigns(profile.custom).map(([name, text]) => keys.custom(tagId, name, text))
    : undefined
  return [{ tagId, userId: whom.userId, sealed, seenAt: profile.seenAt }, aliases, customs, isUnnamed]
}

/** Whom the e-mails lead to that are not written yet: the first who gave one. */
function openNames() {
  const named = new Map<string, string>()
  return {
    of: (tag: Whom['tag'], email: string) => named.get(nameOf(tag, email)),
    add({ tag, userId }: Whom, email: string) {
      if (!named.has(nameOf(tag, email))) named.set(nameOf(tag, email), userId)
    },
    drop({ whom: { tag, userId }, emails }: Unwritten) {
      for (const email of emails) if (named.get(nameOf(tag, email)) === userId) named.delete(nameOf(tag, email))
    },
  }
}

/** The profiles that are on their way to the disk, each written as it is newest. */
function openUnwritten(on: PeopleWorld, signal: AbortSignal) {
  const unwritten = new Map<string, Unwritten>()
  const names = openNames()

  /** Writes the newest that is known, as long as something newer has come meanwhile. */
  async function write(key: string, entry: Unwritten): Promise<void> {
    const keys = on.keys.team(entry.whom.tag.teamId)
    const isWanted = () => unwritten.get(key) === entry
    for (let last: Profile | undefined; last !== entry.profile && isWanted() && !signal.aborted; ) {
      last = entry.profile
      const row = rowOf(entry, keys)
      const put = async () => {
        if (isWanted()) await on.store.users.put(...row)
      }
      await insist('keep what is known of a user', put, on, signal)
    }
    if (isWanted()) drop(entry)
  }

  function drop(entry: Unwritten): void {
    unwritten.delete(keyOf(entry.whom))
    names.drop(entry)
  }

  type News = Pick<Unwritten, 'isUnnamed' | 'hasNewCustom'> & { email: string | undefined }
  function put(whom: Whom, profile: Profile, { email, isUnnamed, hasNewCustom }: News): Promise<void> {
    const key = keyOf(whom)
    const bare = { whom, profile, emails: new Set<string>(), isUnnamed, hasNewCustom, written: Promise.resolve() }
    const entry: Unwritten = unwritten.get(key) ?? bare
    entry.profile = profile
    entry.hasNewCustom ||= hasNewCustom
    if (isUnnamed) {
      names.drop(entry)
      entry.emails.clear()
      entry.isUnnamed = true
    }
    if (email) {
      entry.emails.add(email)
      names.add(whom, email)
    }
    if (unwritten.has(key)) return entry.written
    unwritten.set(key, entry)
    entry.written = write(key, entry)
    return entry.written
  }
  return {
    of: (whom: Whom) => unwritten.get(keyOf(whom)),
    named: names.of,
    /** The e-mail that leads there on disk was taken back since. */
    isNameless: (whom: Whom, email: string) =>
      unwritten.get(keyOf(whom))?.isUnnamed === true && names.of(whom.tag, email) !== whom.userId,
    having: ({ tagId }: Whom['tag'], key: string, text: string) =>
      [...unwritten.values()].flatMap(({ whom, profile }) =>
        whom.tag.tagId === tagId && hasCustom(profile.custom, key, text) ? [whom.userId] : [],
      ),
    put,
    drop,
  }
}

/** Profiles sealed in the store. One that is being written is answered from memory; nothing else is kept there. */
export function openPeople(on: PeopleWorld, signal: AbortSignal): People {
  const { users } = on.store
  const unwritten = openUnwritten(on, signal)
  const inTurn = turns()

  async function find(whom: Whom): Promise<Found> {
    const fresh = unwritten.of(whom)
    if (fresh) return foundIn(fresh.profile)
    const row = await users.get(whom.tag.tagId, whom.userId)
    const since = unwritten.of(whom)
    if (since) return foundIn(since.profile)
    return row ? openRow(whom, row, on) : {}
  }

  return {
    find,
    get: async (whom) => (await find(whom)).profile,
    async byEmail(tag, email) {
      const alias = on.keys.team(tag.teamId).alias(tag.tagId, email)
      const userId = (await users.byAlias(tag.tagId, alias)) ?? unwritten.named(tag, email)
      const profile = userId === undefined ? undefined : (await find({ tag, userId })).profile
      return profile && !unwritten.isNameless({ tag, userId: userId! }, email)
        ? { userId: userId!, profile }
        : undefined
    },
    async byCustom(tag, key, value) {
      const text = findable(value)
      if (text === undefined) return []
      const mark = on.keys.team(tag.teamId).custom(tag.tagId, key, text)
      const found = [...(await users.byCustom(tag.tagId, mark, mostFound)), ...unwritten.having(tag, key, text)]
      const userIds = [...new Set(found)].slice(0, mostFound)
      const profiles = await Promise.all(userIds.map(async (userId) => (await find({ tag, userId })).profile))
      return userIds.filter((_, at) => hasCustom(profiles[at]?.custom ?? {}, key, text))
    },
    change: (whom, change, email) =>
      inTurn(keyOf(whom), async () => {
        const { profile: known, erasedAt } = await find(whom)
        const profile = change(known)
        if (!profile || profile === known) return { written: unwritten.of(whom)?.written ?? Promise.resolve() }
        const kept = erasedAt === undefined ? profile : { ...profile, erasedAt }
        const news = { email, isUnnamed: isUnnamed(known, profile), hasNewCustom: isCustomNew(known, profile) }
        return { written: unwritten.put(whom, kept, news) }
      }),
    forget: (whom, write) =>
      inTurn(keyOf(whom), async () => {
        const entry = unwritten.of(whom)
        if (entry) unwritten.drop(entry)
        await write()
      }),
  }
}

const foundIn = (profile: Profile): Found =>
  profile.erasedAt === undefined ? { profile } : { profile, erasedAt: profile.erasedAt }

/** A profile that does not open is as good as none, and no reason to hold an event back. A row without one is a grave. */
function openRow(whom: Whom, { sealed, seenAt }: UserRecord, { keys, log }: PeopleWorld): Found {
  if (sealed.length === 0) return { erasedAt: seenAt }
  const { tag, userId } = whom
  try {
    return foundIn(JSON.parse(keys.team(tag.teamId).openUser(sealed, keyOf(whom)).toString()) as Profile)
  } catch (error) {
    log({ level: 'error', message: 'a user does not open', tagId: tag.tagId, userId, error })
    return {}
  }
}
