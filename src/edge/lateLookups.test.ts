import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSnapshots } from '#script/snapshot.ts'
import { type TurnedClock, turnedClock } from '../../test/fake/clock.ts'
import { event, openTestEdge, snapshot, tagId } from './edge.fixture.ts'
import { type LateLookups, openLateLookups } from './lateLookups.ts'

const noTag: LateLookups = { tag: async () => undefined, host: async () => undefined }
const idOf = (n: number) => `tag_01jd00000000000000000${String(n).padStart(5, '0')}`

/** The look-up of unknown tag ids, with a count of the store reads. */
function countedFind(clock: TurnedClock) {
  let reads = 0
  const tag = async () => {
    reads++
    return undefined
  }
  return { find: openLateLookups({ ...noTag, tag }, clock).tag, reads: () => reads }
}

test('an event for a tag that this process does not know yet is accepted', async (t) => {
  const late: LateLookups = { ...noTag, tag: async (id) => (id === tagId ? snapshot() : undefined) }
  const edge = await openTestEdge(t, { deps: { snapshots: createSnapshots(), late } })
  assert.equal((await edge.ask({ path: `/t/${tagId}/tag`, body: event() })).status, 200)
  assert.equal((await edge.ask({ path: `/t/${idOf(1)}/tag`, body: event() })).status, 404)
})

test('an id that no tag has is asked for once a second, and calls at once share a read', async () => {
  const clock = turnedClock()
  const { find, reads } = countedFind(clock)
  await Promise.all([find(tagId), find(tagId), find(tagId)])
  await find(tagId)
  assert.equal(reads(), 1)
  await clock.turn(1_000)
  await find(tagId)
  assert.equal(reads(), 2)
})

test('many unknown ids are read up to a rate; above it a call is told to come again, not that there is no tag', async () => {
  const clock = turnedClock()
  const { find, reads } = countedFind(clock)
  for (let n = 0; n < 50; n++) assert.equal(await find(idOf(n)), undefined)
  await assert.rejects(find(idOf(50)), { fault: 'overloaded' })
  assert.equal(await find('not an id'), undefined)
  assert.equal(reads(), 50)
  await clock.turn(1_000)
  assert.equal(await find(idOf(50)), undefined)
})

test('a host name that this process does not know yet is served, and another one is not', async (t) => {
  const late: LateLookups = { ...noTag, host: async (host) => (host === 'd.example.com' ? snapshot() : undefined) }
  const edge = await openTestEdge(t, { deps: { snapshots: createSnapshots(), late } })
  const askAt = (host: string) => edge.ask({ path: '/tag', headers: { host }, body: event() })
  assert.equal((await askAt('d.example.com')).status, 200)
  assert.equal((await askAt('other.example.com')).status, 404)
  assert.equal(edge.appended.length, 1)
})

test('host names have a rate of their own, and what is no host name is not read', async () => {
  let reads = 0
  const count = async () => {
    reads++
    return undefined
  }
  const late = openLateLookups({ tag: count, host: count }, turnedClock())
  for (const name of ['192.0.2.1', 'localhost', '', 'a b.example', 'x'.repeat(254), '[2001:db8::1]'])
    assert.equal(await late.host(name), undefined)
  assert.equal(reads, 0)
  for (let n = 0; n < 50; n++) assert.equal(await late.host(`h${n}.example.com`), undefined)
  await assert.rejects(late.host('h50.example.com'), { fault: 'overloaded' })
  assert.equal(await late.host('h49.example.com'), undefined, 'it is known that nobody has it')
  assert.equal(await late.tag(tagId), undefined)
  assert.equal(reads, 51)
})
