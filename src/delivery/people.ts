import type { Snapshot } from '#script/snapshot.ts'
import type { Profile } from '#user/profile.ts'
import { insist } from './insist.ts'
import type { DeliveryWorld } from './world.ts'

/** Which user of which tag. */
export type Whom = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; userId: string }

/** What is known of the users of the tags. */
export type People = {
  get(whom: Whom): Promise<Profile | undefined>
  /** The user that was known by this e-mail first. */
  byEmail(tag: Whom['tag'], email: string): Promise<{ userId: string; profile: Profile } | undefined>
  /**
   * What is known from now on: `get` answers it at once, the promise resolves when it is on disk. With `email` the user
   * can be found by it, unless another one is.
   */
  put(whom: Whom, profile: Profile, email?: string): Promise<void>
}

type Unwritten = { whom: Whom; profile: Profile; emails: Set<string>; written: Promise<void> }

/** Profiles sealed in the store. One that is being written is answered from memory; nothing else is kept there. */
export function knownPeople(on: Pick<DeliveryWorld, 'store' | 'keys' | 'clock' | 'log'>, signal: AbortSignal): People {
  const { users } = on.store
  const unwritten = new Map<string, Unwritten>()
  const keyOf = ({ tag, userId }: Whom) => `${tag.tagId} ${userId}`

  async function get(whom: Whom): Promise<Profile | undefined> {
    const fresh = unwritten.get(keyOf(whom))
    if (fresh) return fresh.profile
    const row = await users.get(whom.tag.tagId, whom.userId)
    return row && open(whom, row.sealed)
  }

  /** A profile that does not open is as good as none, and no reason to hold an event back. */
  function open({ tag, userId }: Whom, sealed: Uint8Array): Profile | undefined {
    try {
      return JSON.parse(on.keys.team(tag.teamId).openUser(sealed, userId).toString()) as Profile
    } catch (error) {
      on.log({ level: 'error', message: 'a user does not open', tagId: tag.tagId, userId, error })
      return undefined
    }
  }

  /** Writes the newest that is known, as long as something newer has come meanwhile. */
  async function write(key: string): Promise<void> {
    for (let last: Profile | undefined; last !== unwritten.get(key)!.profile && !signal.aborted; ) {
      const { whom, profile, emails } = unwritten.get(key)!
      last = profile
      const keys = on.keys.team(whom.tag.teamId)
      const sealed = keys.sealUser(Buffer.from(JSON.stringify(profile)), whom.userId)
      const row = { tagId: whom.tag.tagId, userId: whom.userId, sealed, seenAt: profile.seenAt }
      const aliases = [...emails].map((email) => keys.alias(whom.tag.tagId, email))
      await insist('keep what is known of a user', () => users.put(row, aliases), on, signal)
    }
    unwritten.delete(key)
  }

  return {
    get,
    async byEmail(tag, email) {
      const userId = await users.byAlias(tag.tagId, on.keys.team(tag.teamId).alias(tag.tagId, email))
      const profile = userId === undefined ? undefined : await get({ tag, userId })
      return profile && { userId: userId!, profile }
    },
    put(whom, profile, email) {
      const key = keyOf(whom)
      const before = unwritten.get(key)
      const emails = before?.emails ?? new Set()
      if (email) emails.add(email)
      if (before) {
        before.profile = profile
        return before.written
      }
      const entry: Unwritten = { whom, profile, emails, written: Promise.resolve() }
      unwritten.set(key, entry)
      entry.written = write(key)
      return entry.written
    },
  }
}
