import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { anEvent } from '../../test/fake/tag.ts'
import { type AppendItem, ingestBody, sealEntry } from './ingest.ts'
import { openRecord, recordEvents } from './record.ts'
import { appendBySlot } from './splitBySlot.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const now = Date.UTC(2026, 10, 20)
const tag = { tagId: 'tag_1', teamId: 'team_1' }

/** A body with one event per user. A body with an unknown field must be serialised again. */
function itemOf(userIds: readonly string[], more: object = {}): AppendItem {
  const events = userIds.map((userId) => anEvent(now, { eventId: `of ${userId}`, ...more }))
  const caller = { userId: userIds[0]!, hasExplicitUserId: userIds.length === 1 }
  const source = { tag, caller, trusted: true, receivedAt: now, ...(userIds.length > 1 && { userIds }) }
  const body = Buffer.from(JSON.stringify(userIds.length === 1 ? events[0] : events))
  return ingestBody(body, source, { brand: 'Service', keys, intakeRate: unlimitedIntake }).item!
}
/** Users whose ids end with an even digit lie in slot 0, others in slot 1. */
const slotFor = (tagId: string, userId: string) => (tagId === 'tag_1' ? Number(userId.at(-1)) % 2 : undefined)

/** Appends an item and returns the stored parts: the slot, and the events with their users. */
async function append(item: AppendItem, isNew = (_key: bigint) => true, tagId = 'tag_1') {
  const stored: { slot: number | undefined; events: string[] }[] = []
  const results = await appendBySlot(item, tagId, slotFor, async (part) => {
    const entry = sealEntry([part], tag, keys)
    const events = recordEvents(openRecord(entry.payload, 'tag_1', 'team_1', keys))
    stored.push({ slot: entry.slot, events: events.map(({ event, userId }) => `${event.eventId} / ${userId}`) })
    return entry.keys.map(isNew)
  })
  return { stored, results }
}

test('a body of several users of a spread tag is stored in one part for each slot of these users', async () => {
  for (const more of [{}, { unknown: 'field' }]) {
    const { stored } = await append(itemOf(['usr_1', 'usr_2', 'usr_3'], more))
    assert.deepEqual(stored, [
      { slot: 1, events: ['of usr_1 / usr_1', 'of usr_3 / usr_3'] },
      { slot: 0, events: ['of usr_2 / usr_2'] },
    ])
  }
})

test('each event of a body that was split has its own result', async () => {
  const item = itemOf(['usr_1', 'usr_2', 'usr_3', 'usr_4'])
  const repeated = new Set([item.keys[1], item.keys[2]])
  const { results } = await append(item, (key) => !repeated.has(key))
  assert.deepEqual(results, [true, false, false, true])
})

test('a body whose users lie in one slot is stored as it came, and so is each body of a tag that is not spread', async () => {
  const users = ['usr_1', 'usr_3']
  const events = users.map((userId) => `of ${userId} / ${userId}`)
  assert.deepEqual((await append(itemOf(users))).stored, [{ slot: 1, events }])
  assert.deepEqual((await append(itemOf(['usr_2']))).stored, [{ slot: 0, events: ['of usr_2 / usr_2'] }])
  assert.deepEqual((await append(itemOf(users), undefined, 'tag_2')).stored, [{ slot: undefined, events }])
})
