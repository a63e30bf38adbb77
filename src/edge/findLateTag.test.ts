import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSnapshots } from '#script/snapshot.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { event, openTestEdge, snapshot, tagId } from './edge.fixture.ts'
import { openFindLateTag } from './findLateTag.ts'

const idOf = (n: number) => `tag_01jd00000000000000000${String(n).padStart(5, '0')}`

test('an event for a tag that this process does not know yet is accepted', async (t) => {
  const findLateTag = async (id: string) => (id === tagId ? snapshot() : undefined)
  const edge = await openTestEdge(t, { deps: { snapshots: createSnapshots(), findLateTag } })
  assert.equal((await edge.ask({ path: `/t/${tagId}/tag`, body: event() })).status, 200)
  assert.equal((await edge.ask({ path: `/t/${idOf(1)}/tag`, body: event() })).status, 404)
})

test('an id that no tag has is asked for once a second, and calls at once share a read', async () => {
  const clock = turnedClock()
  let reads = 0
  const find = openFindLateTag(async () => {
    reads++
    return undefined
  }, clock)
  await Promise.all([find(tagId), find(tagId), find(tagId)])
  await find(tagId)
  assert.equal(reads, 1)
  await clock.turn(1_000)
  await find(tagId)
  assert.equal(reads, 2)
})

test('many unknown ids are read up to a rate; above it a call is told to come again, not that there is no tag', async () => {
  const clock = turnedClock()
  let reads = 0
  const find = openFindLateTag(async () => {
    reads++
    return undefined
  }, clock)
  for (let n = 0; n < 50; n++) assert.equal(await find(idOf(n)), undefined)
  await assert.rejects(find(idOf(50)), { fault: 'overloaded' })
  assert.equal(await find('not an id'), undefined)
  assert.equal(reads, 50)
  await clock.turn(1_000)
  assert.equal(await find(idOf(50)), undefined)
})
