import type { Keyring } from '#account/keyring.ts'
import { stanceOf } from '#consent/consent.ts'
import type { Clock } from '#kit/clock.ts'
import { insist } from '#kit/insist.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Store, UserRecord, UserSigns } from '#store/store.ts'
import { customSigns, hasCustom } from './custom.ts'
import type { EmailKey, Profile } from './profile.ts'

/** Which user of which tag. */
export type Whom = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; userId: string }

export type PeopleWorld = { store: { users: Store['users'] }; keys: Keyring; clock: Clock; log: Log }

type Entry = {
  whom: Whom
  profile: Profile
  /** The e-mails that led there on disk lead there no more, but for those that the profile names. */
  isUnnamed: boolean
  hasNewCustom: boolean
  written: Promise<void>
}
type News = Pick<Entry, 'isUnnamed' | 'hasNewCustom'>

export const keyOf = ({ tag, userId }: Whom) => `${tag.tagId}/${userId}`

const fromHex = (keys: readonly EmailKey[] = []) => keys.map((key) => new Uint8Array(Buffer.from(key, 'hex')))

/** What the store is given of a user as it is now. */
function rowOf(
  { whom, profile, isUnnamed, hasNewCustom }: Entry,
  keys: ReturnType<Keyring['team']>,
): [UserRecord, UserSigns] {
  const { tagId } = whom.tag
  const sealed = keys.sealUser(Buffer.from(JSON.stringify(profile)), keyOf(whom))
  const signs: UserSigns = {
    claims: fromHex(profile.claims),
    confirmed: fromHex(profile.confirmed),
    stance: stanceOf(profile.consent),
    isUnnamed,
    ...(hasNewCustom && { customs: customSigns(profile.custom).map(([name, text]) => keys.custom(tagId, name, text)) }),
  }
  return [{ tagId, userId: whom.userId, sealed, seenAt: profile.seenAt }, signs]
}

/** The users that e-mails lead to, of those that are not written yet: in the order in which they came. */
function openNames() {
  const named = new Map<string, Set<string>>()
  const nameOf = ({ tag }: Whom, key: EmailKey) => `${tag.tagId}/${key}`
  return {
    of: (tagId: string, key: EmailKey): ReadonlySet<string> => named.get(`${tagId}/${key}`) ?? new Set(),
    add(whom: Whom, keys: readonly EmailKey[] = []) {
      for (const key of keys) {
        const name = nameOf(whom, key)
        named.set(name, (named.get(name) ?? new Set()).add(whom.userId))
      }
    },
    drop(whom: Whom, keys: readonly EmailKey[] = []) {
      for (const key of keys) {
        const users = named.get(nameOf(whom, key))
        users?.delete(whom.userId)
        if (users?.size === 0) named.delete(nameOf(whom, key))
      }
    },
  }
}

/** The profiles that are on their way to the disk, each written as it is newest. */
export function openUnwritten(on: PeopleWorld, signal: AbortSignal) {
  const unwritten = new Map<string, Entry>()
  const names = { claims: openNames(), confirmed: openNames() }

  /** Writes the newest that is known, as long as something newer has come meanwhile. */
  async function write(key: string, entry: Entry): Promise<void> {
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

  const name = ({ whom, profile }: Pick<Entry, 'whom' | 'profile'>, way: 'add' | 'drop') => {
    for (const how of ['claims', 'confirmed'] as const) names[how][way](whom, profile[how])
  }
  function drop(entry: Entry): void {
    unwritten.delete(keyOf(entry.whom))
    name(entry, 'drop')
  }
  function put(whom: Whom, profile: Profile, { isUnnamed, hasNewCustom }: News): Promise<void> {
    const key = keyOf(whom)
    const before = unwritten.get(key)
    if (before) name(before, 'drop')
    name({ whom, profile }, 'add')
    if (before) {
      before.profile = profile
      before.isUnnamed ||= isUnnamed
      before.hasNewCustom ||= hasNewCustom
      return before.written
    }
    const entry = { whom, profile, isUnnamed, hasNewCustom, written: Promise.resolve() }
    unwritten.set(key, entry)
    entry.written = write(key, entry)
    return entry.written
  }
  const of = (whom: Whom) => unwritten.get(keyOf(whom))
  return {
    of,
    /** The users of an e-mail among these. */
    named: (tagId: string, key: EmailKey, how: keyof typeof names) => names[how].of(tagId, key),
    /** Whether the e-mail still leads to a user that it leads to on disk. */
    isNamed(whom: Whom, key: EmailKey, how: keyof typeof names): boolean {
      const entry = of(whom)
      return !entry?.isUnnamed || (entry.profile[how]?.includes(key) ?? false)
    },
    having: ({ tagId }: Whom['tag'], key: string, text: string) =>
      [...unwritten.values()].flatMap(({ whom, profile }) =>
        whom.tag.tagId === tagId && hasCustom(profile.custom, key, text) ? [whom.userId] : [],
      ),
    put,
    drop,
  }
}
