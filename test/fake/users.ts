import type { UserRecord, Users } from '#store/store.ts'

/** Users in memory; `rows` may be looked at and changed. */
export function fakeUsers() {
  const rows = new Map<string, UserRecord>()
  const aliases = new Map<string, string>()
  const customs = new Map<string, Set<string>>()
  const aliasOf = (tagId: string, alias: Uint8Array) => tagId + Buffer.from(alias).toString('hex')
  const users: Users = {
    get: async (tagId, userId) => rows.get(tagId + userId),
    byAlias: async (tagId, alias) => aliases.get(aliasOf(tagId, alias)),
    byCustom: async (tagId, custom, limit) => [...(customs.get(aliasOf(tagId, custom)) ?? [])].sort().slice(0, limit),
    async put(row, given, marks, isUnnamed) {
      for (const of of marks ? customs.values() : []) of.delete(row.userId)
      for (const mark of marks ?? []) {
        const key = aliasOf(row.tagId, mark)
        customs.set(key, (customs.get(key) ?? new Set()).add(row.userId))
      }
      rows.set(row.tagId + row.userId, row)
      for (const [key, userId] of isUnnamed ? aliases : [])
        if (userId === row.userId && key.startsWith(row.tagId)) aliases.delete(key)
      for (const alias of given) {
        const key = aliasOf(row.tagId, alias)
        if (!aliases.has(key)) aliases.set(key, row.userId)
      }
    },
    async unseen({ seenBefore, erasedBefore }, limit) {
      const isOver = ({ seenAt, sealed }: UserRecord) => seenAt < (sealed.length > 0 ? seenBefore : erasedBefore)
      return [...rows.values()]
        .filter(isOver)
        .slice(0, limit)
        .map(({ sealed: _, ...row }) => row)
    },
  }
  return { users, rows }
}
