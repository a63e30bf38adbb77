import type { StoredUser } from '#store/store.ts'
import type { UserWrite } from '#store/users.ts'

type Recorded = { user: StoredUser; write: UserWrite }

const hex = (key: Uint8Array) => Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')
const emailsOf = ({ lookupKeys: { claims = [], confirmed = [] } = {} }: UserWrite) => [...claims, ...confirmed].map(hex)

/** Users whose last write is in the log but not in the rows yet. */
export function openRecordedUsers() {
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
    get: (tagId: string, userId: string) => users.get(`${tagId}/${userId}`)?.user,
    put(write: UserWrite, version: number): void {
      const { user, lookupKeys } = write
      users.set(`${user.tagId}/${user.userId}`, { user: { ...user, version }, write })
      for (const email of emailsOf(write)) count(email, 1)
      if (lookupKeys?.customs) customs.add(write)
      if (lookupKeys?.isUnnamed) emailRemovals.add(write)
    },
    /** Drops these writes, unless a later one has replaced them. */
    forget(writes: readonly UserWrite[]): void {
      for (const write of writes) {
        const key = `${write.user.tagId}/${write.user.userId}`
        if (users.get(key)?.write === write) users.delete(key)
        for (const email of emailsOf(write)) count(email, -1)
        customs.delete(write)
        emailRemovals.delete(write)
      }
    },
    /** True if the rows of an e-mail may be out of date. */
    hasEmail: (email: Uint8Array) => emailRemovals.size > 0 || (emails.size > 0 && emails.has(hex(email))),
    /** True if the rows of custom values may be out of date. */
    hasCustoms: () => customs.size > 0,
  }
}
