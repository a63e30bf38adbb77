import type { Keyring } from '#account/keyring.ts'
import { turns } from '#kit/turns.ts'
import { claimsKept, type UserRecord } from '#store/store.ts'
import { findable, hasCustom, isCustomNew } from './custom.ts'
import { type EmailKey, isNamed, type Naming, named, type Profile } from './profile.ts'
import { keyOf, openUnwritten, type PeopleWorld, type Whom } from './unwritten.ts'

export type { PeopleWorld, Whom }

/** What is known of a user; `erasedAt` (epoch ms) where what came until then has been erased. */
export type Found = { profile?: Profile; erasedAt?: number }

export type KnownUser = { userId: string; profile: Profile }

/** Who is known by an e-mail. */
export type EmailOwners = {
  /** The user that a trusted call gave the e-mail for first: its owner, as far as anybody is. */
  confirmed?: KnownUser
  /** The other users who gave it, seen last first. Anybody can claim any e-mail. Empty where it is crowded. */
  claimants: readonly KnownUser[]
  /** More of those who claim it refused something than are kept. Then nobody knows what they all refused. */
  isCrowded: boolean
}

/** What becomes of a profile; the one before, or undefined, where nothing changes. */
export type Change = (known: Profile | undefined) => Profile | undefined

/** What is known of the users of the tags. Edge and worker of one process share it: what one learns the other knows. */
export type People = {
  find(whom: Whom): Promise<Found>
  get(whom: Whom): Promise<Profile | undefined>
  /** The fingerprint of an e-mail by which users are known. */
  emailKey(tag: Whom['tag'], email: string): EmailKey
  byEmail(tag: Whom['tag'], key: EmailKey): Promise<EmailOwners>
  /** The user that a trusted call gave the e-mail for. */
  ownerOf(tag: Whom['tag'], key: EmailKey): Promise<KnownUser | undefined>
  /** Some of the users whose custom data has this value under this key. */
  byCustom(tag: Whom['tag'], key: string, value: unknown): Promise<string[]>
  /**
   * Changes what is known, one after the other for each user: `get` answers it as soon as this resolves, `written`
   * resolves when it is on disk. `naming`: how the user is known by an e-mail from then on.
   */
  change(whom: Whom, change: Change, naming?: Naming): Promise<{ written: Promise<void> }>
  /** Forgets a user. `write` takes it out of the store; nothing that was known before is written after it. */
  forget(whom: Whom, write: () => Promise<void>): Promise<void>
}

/** An e-mail that was known and is no more: nobody is found by it. */
const isUnnamed = (known: Profile | undefined, { keys }: Profile) =>
  known?.keys.email !== undefined && keys.email === undefined

const mostFound = 100
/** Claims that are not written yet. More at once than are ever kept on disk, and the e-mail counts as crowded until then. */
const mostUnwritten = 2 * claimsKept

const seenLastFirst = (one: KnownUser, other: KnownUser) => other.profile.seenAt - one.profile.seenAt

/** Who is known by an e-mail, on disk and on the way there. */
function openEmails(
  { store, keys }: PeopleWorld,
  unwritten: ReturnType<typeof openUnwritten>,
  find: People['find'],
): Pick<People, 'emailKey' | 'byEmail' | 'ownerOf'> {
  async function known(whom: Whom): Promise<KnownUser[]> {
    const { profile } = await find(whom)
    return profile ? [{ userId: whom.userId, profile }] : []
  }
  async function idsOf(tag: Whom['tag'], key: EmailKey) {
    const written = await store.users.byEmail(tag.tagId, new Uint8Array(Buffer.from(key, 'hex')))
    const isStill = (userId: string, how: 'claims' | 'confirmed') => unwritten.isNamed({ tag, userId }, key, how)
    const { confirmed } = written
    const [first] = unwritten.named(tag.tagId, key, 'confirmed')
    const owner = confirmed !== undefined && isStill(confirmed, 'confirmed') ? confirmed : first
    const fresh = unwritten.named(tag.tagId, key, 'claims')
    const isCrowded = written.isCrowded || fresh.size > mostUnwritten
    const all = new Set([...written.claimants.filter((userId) => isStill(userId, 'claims')), ...fresh])
    return { owner, claimants: isCrowded ? [] : [...all].filter((userId) => userId !== owner), isCrowded }
  }
  return {
    emailKey: (tag, email) => Buffer.from(keys.team(tag.teamId).alias(tag.tagId, email)).toString('hex'),
    async byEmail(tag, key) {
      const { owner, claimants, isCrowded } = await idsOf(tag, key)
      const [confirmed] = owner === undefined ? [] : await known({ tag, userId: owner })
      const found = await Promise.all(claimants.map((userId) => known({ tag, userId })))
      return { ...(confirmed && { confirmed }), claimants: found.flat().sort(seenLastFirst), isCrowded }
    },
    async ownerOf(tag, key) {
      const { owner } = await idsOf(tag, key)
      return owner === undefined ? undefined : (await known({ tag, userId: owner }))[0]
    },
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
    ...openEmails(on, unwritten, find),
    async byCustom(tag, key, value) {
      const text = findable(value)
      if (text === undefined) return []
      const mark = on.keys.team(tag.teamId).custom(tag.tagId, key, text)
      const found = [...(await users.byCustom(tag.tagId, mark, mostFound)), ...unwritten.having(tag, key, text)]
      const userIds = [...new Set(found)].slice(0, mostFound)
      const profiles = await Promise.all(userIds.map(async (userId) => (await find({ tag, userId })).profile))
      return userIds.filter((_, at) => hasCustom(profiles[at]?.custom ?? {}, key, text))
    },
    change: (whom, change, naming) =>
      inTurn(keyOf(whom), async () => {
        const { profile: before, erasedAt } = await find(whom)
        const learnt = change(before) ?? before
        const profile = learnt && naming && !isNamed(learnt, naming) ? named(learnt, naming) : learnt
        if (!profile || profile === before) return { written: unwritten.of(whom)?.written ?? Promise.resolve() }
        const kept = erasedAt === undefined ? profile : { ...profile, erasedAt }
        const news = { isUnnamed: isUnnamed(before, profile), hasNewCustom: isCustomNew(before, profile) }
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
    const team = keys.team(tag.teamId)
    return foundIn(upgraded(JSON.parse(team.openUser(sealed, keyOf(whom)).toString()), tag, team))
  } catch (error) {
    log({ level: 'error', message: 'a user does not open', tagId: tag.tagId, userId, error })
    return {}
  }
}

/** Profiles used to say that they were found by their e-mail (`findable`), and not by which: it is a claim. */
function upgraded(
  { findable: wasFound, ...profile }: Profile & { findable?: true },
  tag: Whom['tag'],
  team: ReturnType<Keyring['team']>,
): Profile {
  const { email } = profile.keys
  if (!wasFound || profile.claims || email === undefined) return profile
  return { ...profile, claims: [Buffer.from(team.alias(tag.tagId, email)).toString('hex')] }
}
