import type { StoredUser, UserStore } from '#store/users.ts'
import { keyOf, type UserRef } from './storedProfile.ts'

/** Rows of users that were read in one batch before their use. Each is used once. */
type ReadAhead = {
  /**
   * Reads these users in one batch. The returned function drops unused rows. `isPending`: the user has a profile newer
   * than its row.
   */
  load(tag: UserRef['tag'], userIds: readonly string[], isPending: (user: UserRef) => boolean): Promise<() => void>
  /**
   * The row of a user (`row` is undefined if there is none). Undefined if the user was not read ahead or has changed
   * since.
   */
  take(user: UserRef): { row: StoredUser | undefined } | undefined
  /** Drops the row of a user that changes. */
  invalidate(user: UserRef): void
}

export function openReadAhead(users: Pick<UserStore, 'getMany'>): ReadAhead {
  const rows = new Map<string, { row: StoredUser | undefined }>()
  /** For each read in progress, the users that changed since it began. */
  const reads = new Set<Set<string>>()
  return {
    async load(tag, userIds, isPending) {
      const wanted = userIds.filter((userId) => !isPending({ tag, userId }))
      const changed = new Set<string>()
      reads.add(changed)
      const loaded: [string, { row: StoredUser | undefined }][] = []
      try {
        const found = await users.getMany(tag.tagId, wanted)
        for (const userId of wanted) {
          const key = keyOf({ tag, userId })
          if (!changed.has(key)) loaded.push([key, { row: found.get(userId) }])
        }
      } finally {
        reads.delete(changed)
      }
      for (const [key, entry] of loaded) rows.set(key, entry)
      return () => {
        for (const [key, entry] of loaded) if (rows.get(key) === entry) rows.delete(key)
      }
    },
    take(user) {
      const entry = rows.get(keyOf(user))
      rows.delete(keyOf(user))
      return entry
    },
    invalidate(user) {
      rows.delete(keyOf(user))
      for (const changed of reads) changed.add(keyOf(user))
    },
  }
}
