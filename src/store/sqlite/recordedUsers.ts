import type { StoredUser } from '#store/store.ts'
import type { UserWrite } from '#store/users.ts'

type Recorded = { user: StoredUser; write: UserWrite }

/** Users whose last write is in the log but not in the rows yet. */
type RecordedUsers = {
  get(tagId: string, userId: string): StoredUser | undefined
  put(write: UserWrite, version: number): void
  /** Drops these writes, unless a later one has replaced them. */
  forget(writes: readonly UserWrite[]): void
  /** True if the rows of an e-mail may be out of date. */
  hasEmail(email: Uint8Array): boolean
  /** True if the rows of custom values may be out of date. */
  hasCustoms(): boolean
}

const hex = (key: Uint8Array) => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')
const emailsOf = ({ lookupKeys: { claims = [], confirmed = [] } = {} }: UserWrite) => [...claims, ...confirmed].map(hex)

export function openRecordedUsers(): RecordedUsers {
  const users = new Map<string, Recorded>()
  const emails = new Map<string, number>()
  const customs = new Set<UserWrite>()
  /** Writes that remove e-mails. Only the rows show which e-mails these are. */
  const emailRemovals = new Set<UserWrite>()

  function count(email: string, by: 1 | -1): void {
    const left = (emails.get(email) ?? 0) + by
    if (left > 0) emails.set(email, left)
    else emails.delete(email)
  }
  return {
    get: (tagId, userId) => users.get(`${tagId}/${userId}`)?.user,
    put(write, version) {
      const { user, lookupKeys } = write
      users.set(`${user.tagId}/${user.userId}`, { user: { ...user, version }, write })
      for (const email of emailsOf(write)) count(email, 1)
      if (lookupKeys?.customs) customs.add(write)
      if (lookupKeys?.isUnnamed) emailRemovals.add(write)
    },
    forget(writes) {
      for (const write of writes) {
        const key = `${write.user.tagId}/${write.user.userId}`
        if (users.get(key)?.write === write) users.delete(key)
        for (const email of emailsOf(write)) count(email, -1)
        customs.delete(write)
        emailRemovals.delete(write)
      }
    },
    hasEmail: (email) => emailRemovals.size > 0 || (emails.size > 0 && emails.has(hex(email))),
    hasCustoms: () => customs.size > 0,
  }
}
