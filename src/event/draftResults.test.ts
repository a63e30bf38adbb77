import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftResults, markDuplicates } from './draftResults.ts'
import type { BodyEvent } from './parseBody.ts'

const aTag = (eventId: string, more: object = {}) =>
  ({ event: { eventName: 'Lead', eventId, timestamp: 1, ...more } }) as BodyEvent
const refused = { eventId: 'bad', issues: [{ path: '', message: 'is no object' }] } as BodyEvent
const draft = (events: BodyEvent[], more: object = {}, userIds?: string[]) =>
  draftResults(
    { isArray: true, events } as never,
    { userId: 'usr_1', ...(userIds && { userIds }) },
    {
      brand: 'Service',
      namesNoUser: false,
      ...more,
    },
  )

test('a note about the whole call is told once, with the first accepted event', () => {
  const { results } = draft([refused, aTag('a'), aTag('b')], { notes: ['the consent text has expired'] })
  assert.deepEqual(
    results.map(({ warnings }) => warnings),
    [undefined, ['the consent text has expired'], undefined],
  )
})

test('a call that names no user is told once that an e-mail identifies nobody', () => {
  const events = [aTag('a'), aTag('b', { userEmail: 'jane@example.com' }), aTag('c', { data: { userEmail: 'x@y.de' } })]
  const { results } = draft(events, { namesNoUser: true })
  assert.deepEqual(
    results.map(({ warnings }) => warnings?.length ?? 0),
    [0, 1, 0],
  )
  assert.match(results[1]!.warnings![0]!, /ServiceUserId/)
})

test('a refused event says what is wrong with it, and each result has the user of its event', () => {
  const { results } = draft([aTag('a'), refused], {}, ['usr_2', 'usr_3'])
  assert.deepEqual(results[0], { eventId: 'a', userId: 'usr_2', status: 'accepted' })
  assert.deepEqual(results[1], {
    eventId: 'bad',
    userId: 'usr_3',
    status: 'rejected',
    message: 'the event is no object',
  })
})

test('duplicates are marked by their place among the accepted events', () => {
  const drafts = draft([aTag('a'), refused, aTag('b'), aTag('c')])
  markDuplicates(drafts, [true, false])
  assert.deepEqual(
    drafts.results.map(({ status }) => status),
    ['accepted', 'rejected', 'duplicate', 'duplicate'],
  )
})
