import type { ProgramDeps } from '#cli/cliDeps.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { formatTable } from '#cli/textTable.ts'
import type { Client } from '#contract/client.ts'
import type { FoundUsers } from '#contract/userRecord.ts'

type FoundUser = FoundUsers['users'][number]
type ErasureApi = Pick<Client, 'findUser' | 'readUser' | 'eraseUser'>
type ErasureRequest = { tagId: string; email: string; isAgreed: boolean; isSilent: boolean }
export type Erasure = {
  users: { userId: string; events: number }[]
  events: number
  searched: FoundUsers['searched']
  isCrowded?: true
}

/** Searches stored users, claims and all stored events, page by page. */
async function findEverybody({ tagId, email }: ErasureRequest, api: Pick<Client, 'findUser'>) {
  const users = new Map<string, FoundUser>()
  let page = await api.findUser({ tagId, body: { email } })
  const { isCrowded, searched } = page
  for (;;) {
    for (const user of page.users) users.set(user.userId, users.get(user.userId) ?? user)
    if (page.next === undefined) return { users: [...users.values()], isCrowded, searched }
    page = await api.findUser({ tagId, body: { email, cursor: page.next } })
  }
}

const wayOf = ({ isConfirmed, isFromEvent }: FoundUser) =>
  isConfirmed ? 'a trusted call gave it' : isFromEvent ? 'in an event' : 'claims it'

const eventsPerPage = 200

async function describeUser(tagId: string, user: FoundUser, api: Pick<Client, 'readUser'>) {
  const { events, next } = await api.readUser({ tagId, userId: user.userId, limit: eventsPerPage })
  const { userId, seenAt } = user
  return { userId, seenAt, found: wayOf(user), events: next === undefined ? events.length : `${events.length} or more` }
}

/** Lists what would be erased and asks. Throws UsageError without a terminal. */
async function refuseWithoutYes(found: FoundUser[], request: ErasureRequest, api: ErasureApi, deps: ErasureDeps) {
  const { tagId, isAgreed, isSilent } = request
  if (!isSilent) {
    const rows = []
    for (const user of found) rows.push(await describeUser(tagId, user, api))
    deps.print(formatTable(rows, ['userId', 'seenAt', 'found', 'events']))
  }
  if (isAgreed) return
  const answer = isSilent ? undefined : await deps.ask('Erase these users with all their events? (yes) ')
  if (answer === undefined) throw new UsageError('Nothing was erased. Without a terminal, confirm with --yes.')
  if (answer.trim() !== 'yes') throw new Error('Nothing was erased.')
}

type ErasureDeps = Pick<ProgramDeps, 'ask' | 'print'>

/**
 * Erases everybody found by an e-mail, then searches again: one search lists at most 100 users, and new events may have
 * arrived.
 */
export async function erasePerson(request: ErasureRequest, api: ErasureApi, deps: ErasureDeps): Promise<Erasure> {
  const erased = new Map<string, number>()
  for (;;) {
    const { users, isCrowded, searched } = await findEverybody(request, api)
    const left = users.filter(({ userId }) => !erased.has(userId))
    if (left.length === 0) {
      const rows = [...erased].map(([userId, events]) => ({ userId, events }))
      const events = rows.reduce((sum, row) => sum + row.events, 0)
      return { users: rows, events, searched, ...(isCrowded && { isCrowded }) }
    }
    await refuseWithoutYes(left, request, api, deps)
    for (const { userId } of left) {
      const { events } = await api.eraseUser({ tagId: request.tagId, userId })
      erased.set(userId, events)
    }
  }
}
