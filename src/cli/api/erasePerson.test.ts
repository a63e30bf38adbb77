import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundUsers } from '#contract/userRecord.ts'
import { erasePerson } from './erasePerson.ts'

const email = 'jane@example.com'
const searched: FoundUsers['searched'] = ['users', 'claims', 'events']

/** An API with users found by e-mail; users of events are on separate pages, one on each. */
function fakeApi({ stored = ['usr_1'], inEvents = ['usr_2', 'usr_3'], isCrowded = false } = {}) {
  const erased: string[] = []
  const left = (ids: string[]) => ids.filter((userId) => !erased.includes(userId))
  const seenAt = Date.UTC(2026, 10, 20)
  return {
    erased,
    findUser: async ({ body }: { body: { cursor?: string | null } }) => {
      const at = Number(body.cursor ?? 0)
      const events = left(inEvents.slice(at, at + 1)).map((userId) => ({ userId, seenAt, isFromEvent: true }))
      const users = at > 0 ? [] : left(stored).map((userId) => ({ userId, seenAt, isConfirmed: true }))
      const next = at + 1 < inEvents.length ? { next: `${at + 1}` } : {}
      return { users: [...users, ...events], searched, ...next, ...(isCrowded && { isCrowded }) }
    },
    readUser: async ({ userId }: { userId: string }) => ({ userId, events: [{}, {}] }),
    eraseUser: async ({ userId }: { userId: string }) => {
      erased.push(userId)
      return { userId, events: 2 }
    },
  }
}

async function erase(
  api: ReturnType<typeof fakeApi>,
  { answer, yes = false }: { answer?: string; yes?: boolean } = {},
) {
  let printed = ''
  const deps = {
    ask: async () => answer,
    print: (text: string) => {
      printed += text
    },
  }
  const request = { tagId: 'tag_1', email, isAgreed: yes, isSilent: false }
  const erasure = await erasePerson(request, api as never, deps)
  return { erasure, printed }
}

test('stored users and those of every page of events are listed and erased', async () => {
  const api = fakeApi()
  const { erasure, printed } = await erase(api, { answer: 'yes' })
  assert.deepEqual(api.erased, ['usr_1', 'usr_2', 'usr_3'])
  assert.equal(erasure.events, 6)
  assert.match(printed, /^userId .*\nusr_1 .*a trusted call gave it +2\nusr_2 .*in an event +2\nusr_3/)
})

test('nothing is erased without a yes', async () => {
  const api = fakeApi()
  await assert.rejects(erase(api, { answer: 'no' }), /Nothing was erased\.$/)
  await assert.rejects(erase(api), /confirm with --yes/)
  assert.deepEqual(api.erased, [])
})

test('nobody found is told with what was searched, and asks nothing', async () => {
  const { erasure, printed } = await erase(fakeApi({ stored: [], inEvents: [] }))
  assert.deepEqual(erasure, { users: [], events: 0, searched })
  assert.equal(printed, '')
})

test('a user who appears while others are erased is erased as well', async () => {
  const inEvents = ['usr_2']
  const api = fakeApi({ inEvents })
  const { eraseUser } = api
  api.eraseUser = async (user) => {
    if (!inEvents.includes('usr_late')) inEvents.push('usr_late')
    return eraseUser(user)
  }
  await erase(api, { yes: true })
  assert.deepEqual(api.erased, ['usr_1', 'usr_2', 'usr_late'])
})

test('too many claims to list are told, because they are not erased', async () => {
  assert.equal((await erase(fakeApi({ isCrowded: true }), { yes: true })).erasure.isCrowded, true)
})
