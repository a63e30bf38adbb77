import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { slotOf, slotsOf } from '#cluster/slotOf.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import { entry, textOf } from '#stream/stream.fixture.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { setUpStreams } from './networkedStreams.fixture.ts'

const skip = await skipWithoutPostgres()
const neverAborted = new AbortController().signal
const spreadOver = (count: number) => new Map([['tag_1', count]])
const slots = slotsOf('tag_1', 4)
const userIds = Array.from({ length: 12 }, (_, n) => `usr_${n}`)

describe('a tag that is spread over several slots', { skip, timeout: 40_000 }, () => {
  const shared = setUpStreams()
  let lastKey = 0n

  /** Appends an event of each user, named after the user and the round. */
  async function appendRound(edge: SharedStream, round: number): Promise<void> {
    for (const userId of userIds) {
      const slot = edge.slotFor?.('tag_1', userId)
      await edge.append({ ...entry([++lastKey], `${userId} ${round}`), ...(slot !== undefined && { slot }) })
    }
  }
  /** The names of the next records, until there are `count`. */
  async function leaseNext(stream: SharedStream, count: number): Promise<string[]> {
    const leased: string[] = []
    while (leased.length < count)
      for (const { payload } of await stream.lease(100, neverAborted)) leased.push(textOf(payload))
    return leased
  }
  const rounds = (names: readonly string[], userId: string) =>
    names.filter((name) => name.startsWith(`${userId} `)).map((name) => Number(name.split(' ')[1]))
  const storedIn = async (ofSlots: readonly number[]) => {
    const text = 'SELECT count(*) AS count FROM todo WHERE slot = ANY($1)'
    return Number((await shared.database.sql(text, [ofSlots]))[0]!.count)
  }

  test('is leased by the workers that have its slots: each record once, those of a user by one and in order', async () => {
    const edge = await shared.open({ spread: spreadOver(4) })
    const own = [slots.slice(0, 2), slots.slice(2)]
    const members = [await shared.member('one', own[0]!), await shared.member('other', own[1]!)]
    const workers = await Promise.all(members.map((ownership) => shared.open({ ownership })))
    for (let round = 0; round < 3; round++) await appendRound(edge, round)
    const leased: string[][] = []
    for (const [n, worker] of workers.entries()) leased.push(await leaseNext(worker, await storedIn(own[n]!)))
    assert.ok(leased.every((names) => names.length > 0))
    assert.equal(new Set(leased.flat()).size, 3 * userIds.length)
    assert.equal(leased.flat().length, 3 * userIds.length)
    for (const userId of userIds)
      assert.deepEqual(
        leased.map((names) => rounds(names, userId)).filter((each) => each.length > 0),
        [[0, 1, 2]],
      )
  })

  test('tells of each record in which slot it lies, unless it is that of the tag', async () => {
    const edge = await shared.open({ spread: spreadOver(4) })
    await appendRound(edge, 0)
    const leased = await (await shared.open()).lease(100, neverAborted)
    assert.equal(leased.length, userIds.length)
    for (const { slot, payload } of leased) {
      const expected = edge.slotFor!('tag_1', textOf(payload).split(' ')[0]!)
      assert.equal(slot, expected === slotOf('tag_1') ? undefined : expected)
    }
    assert.equal(new Set(leased.map(({ slot }) => slot)).size, 4)
  })

  test('loses and repeats no record when its spread changes while records wait', async () => {
    for (const [round, count] of [1, 4, 2, 16, 1].entries())
      await appendRound(await shared.open(count === 1 ? {} : { spread: spreadOver(count) }), round)
    const leased = await leaseNext(await shared.open(), 5 * userIds.length)
    assert.equal(new Set(leased).size, 5 * userIds.length)
    assert.equal(leased.length, 5 * userIds.length)
  })

  test('is delivered by another worker that takes over one of its slots: what was not settled', async () => {
    const edge = await shared.open({ spread: spreadOver(4) })
    const [one, other] = [await shared.member('one', [...slots]), await shared.member('other', [])]
    const [first, second] = [await shared.open({ ownership: one }), await shared.open({ ownership: other })]
    await appendRound(edge, 0)
    const leased = await first.lease(100, neverAborted)
    assert.equal(leased.length, userIds.length)
    const taken = slots[1]!
    const settled = leased.filter(({ slot }) => slot !== taken).slice(0, 3)
    await first.settle(settled.map(({ position }) => position))
    one.slots().splice(1, 1)
    first.forgetSlots([taken])
    other.slots().push(taken)
    second.slotsGained([taken])
    const expected = leased.filter(({ slot }) => slot === taken).map(({ payload }) => textOf(payload))
    assert.ok(expected.length > 0)
    assert.deepEqual(await leaseNext(second, expected.length), expected)
    assert.equal(await first.waiting(), userIds.length - 3 - expected.length)
  })

  test('is not spread where the setting does not name it', async () => {
    const edge = await shared.open({ spread: new Map([['tag_2', 4]]) })
    assert.equal(edge.slotFor?.('tag_1', 'usr_1'), undefined)
    assert.equal((await shared.open()).slotFor, undefined)
  })
})
