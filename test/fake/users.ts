import { maxClaims, type OverallConsent, type StoredUser, type UserStore, type UserWrite } from '#store/users.ts'

type Claim = { userId: string; overallConsent: OverallConsent; seenAt: number }
type Email = { confirmed?: string | undefined; claims: Claim[]; crowdedAt?: number | undefined }

const order: readonly OverallConsent[] = ['refuses', 'agrees', 'unasked']
const newestFirst = (one: Claim, other: Claim) => other.seenAt - one.seenAt || (one.userId < other.userId ? -1 : 1)

/** Stores a claim like every store: with a limit on their number, and without losing a refusal. */
function claim(email: Email, made: Claim): void {
  if (email.crowdedAt === undefined)
    email.claims = [...email.claims.filter(({ userId }) => userId !== made.userId), made]
  const refusing = email.claims.filter(({ overallConsent }) => overallConsent === 'refuses')
  const others = email.claims.filter(({ overallConsent }) => overallConsent !== 'refuses')
  if (email.crowdedAt !== undefined || refusing.length > maxClaims) {
    email.crowdedAt = Math.max(email.crowdedAt ?? 0, made.seenAt)
    email.claims = []
    return
  }
  others.sort(
    (one, other) => order.indexOf(one.overallConsent) - order.indexOf(other.overallConsent) || newestFirst(one, other),
  )
  email.claims = [...refusing, ...others.slice(0, maxClaims)]
}

/** Users in memory; `rows` can be read and changed. */
export function fakeUsers() {
  const rows = new Map<string, StoredUser>()
  const emails = new Map<string, Email>()
  const customs = new Map<string, Set<string>>()
  const keyOf = (tagId: string, mark: Uint8Array) => tagId + Buffer.from(mark).toString('hex')
  const emailOf = (tagId: string, mark: Uint8Array) => {
    const email = emails.get(keyOf(tagId, mark)) ?? { claims: [] }
    emails.set(keyOf(tagId, mark), email)
    return email
  }
  const unname = ({ tagId, userId }: UserWrite['user']) => {
    for (const [key, email] of emails) {
      if (!key.startsWith(tagId)) continue
      email.claims = email.claims.filter((each) => each.userId !== userId)
      if (email.confirmed === userId) email.confirmed = undefined
    }
  }
  function putOne({ user, lookupKeys = {}, basedOn }: UserWrite): boolean {
    const { tagId, userId, seenAt } = user
    const { claims = [], confirmed = [], overallConsent = 'unasked', customs: marks, isUnnamed } = lookupKeys
    const version = rows.get(tagId + userId)?.version ?? 0
    if (basedOn !== undefined && basedOn !== version) return false
    for (const of of marks ? customs.values() : []) of.delete(userId)
    for (const mark of marks ?? []) {
      const key = keyOf(tagId, mark)
      customs.set(key, (customs.get(key) ?? new Set()).add(userId))
    }
    rows.set(tagId + userId, { ...user, version: version + 1 })
    if (isUnnamed) unname(user)
    for (const mark of claims) claim(emailOf(tagId, mark), { userId, overallConsent, seenAt })
    for (const mark of confirmed) emailOf(tagId, mark).confirmed ??= userId
    return true
  }
  const users: UserStore = {
    get: async (tagId, userId) => rows.get(tagId + userId),
    getMany: async (tagId, userIds) =>
      new Map(userIds.flatMap((userId) => (rows.has(tagId + userId) ? [[userId, rows.get(tagId + userId)!]] : []))),
    byEmails: (tagId, marks) => Promise.all(marks.map((mark) => users.byEmail(tagId, mark))),
    async byEmail(tagId, mark) {
      const { confirmed, claims, crowdedAt } = emailOf(tagId, mark)
      const claimants = claims.toSorted(newestFirst).map(({ userId }) => userId)
      return { ...(confirmed !== undefined && { confirmed }), claimants, isCrowded: crowdedAt !== undefined }
    },
    byCustom: async (tagId, custom, limit) => [...(customs.get(keyOf(tagId, custom)) ?? [])].sort().slice(0, limit),
    put: async (writes) => writes.map(putOne),
    nextTag: async (after) =>
      [...rows.values()]
        .map(({ tagId }) => tagId)
        .sort()
        .find((tagId) => tagId > after),
    async unseen(ofTag, { seenBefore, erasedBefore }, limit) {
      const isOver = ({ seenAt, sealed }: StoredUser) => seenAt < (sealed.length > 0 ? seenBefore : erasedBefore)
      return [...rows.values()]
        .filter((row) => row.tagId === ofTag && isOver(row))
        .slice(0, limit)
        .map(({ sealed: _, version: __, ...row }) => row)
    },
    usersAfter: async (ofTag, after, limit) =>
      [...rows.values()]
        .filter(({ tagId, userId }) => tagId === ofTag && userId > after)
        .sort((one, other) => (one.userId < other.userId ? -1 : 1))
        .slice(0, limit),
    async deleteCrowded(seenBefore) {
      for (const email of emails.values()) if ((email.crowdedAt ?? seenBefore) < seenBefore) email.crowdedAt = undefined
    },
  }
  return { users, rows }
}
