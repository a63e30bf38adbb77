import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IssueCount } from '#store/deliveryQueries.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import type { StatsRequest } from '#store/stats.ts'
import { createStatsSums } from '#store/stats.ts'
import type { WatchedTag } from './alertFigures.ts'
import { createStoreFigures } from './storeFigures.ts'

const minute = 60_000
const hour = 60 * minute
const tag: WatchedTag = { tagId: 'tag_1', teamId: 'team_1', name: 'Shop', createdAt: 0 }

/** Figures of a store whose events are counted by `count`; it lists what was read. */
function openFigures(count: () => number, issues: IssueCount[] = []) {
  let now = Date.UTC(2026, 10, 18, 12, 30)
  const read: StatsRequest[] = []
  const stats = async (_: string, request: StatsRequest) => {
    read.push(request)
    const events = [{ at: request.from, eventName: request.eventName ?? 'Purchase', count: count() }]
    const sums = createStatsSums(request)
    sums.add({ events, deliveries: [], issues, refused: [], latencies: [] })
    return sums.result()
  }
  const queries = () => ({ stats }) as unknown as JournalQueries
  const store = { queries, journal: { pauses: async () => [] } } as never
  const snapshots = { get: () => undefined, isPaused: () => false }
  const figures = createStoreFigures({ clock: { now: () => now }, store, snapshots, freeDisk: async () => undefined })
  const turn = (ms: number) => {
    now += ms
  }
  const lastHour = () => ({ from: now - hour, to: now })
  return { figures, read, lastHour, turn, ago: (ms: number) => now - ms }
}

test('the counts of a period are read once a minute for all rules of a tag, and again a minute later', async () => {
  let count = 3
  const { figures, read, lastHour, turn } = openFigures(() => count)
  await Promise.all([
    figures.events(tag, lastHour()),
    figures.failures(tag, lastHour()),
    figures.latency(tag, lastHour()),
  ])
  assert.equal(read.length, 1)
  await figures.events(tag, lastHour(), 'Purchase')
  await figures.events({ ...tag, tagId: 'tag_2' }, lastHour())
  assert.equal(read.length, 3, 'another name and another tag have counts of their own')
  const period = lastHour()
  turn(minute)
  count = 4
  assert.equal(await figures.events(tag, period), 4, 'the same period may have got late events')
})

test('a period that ended more than a day ago is read once', async () => {
  const { figures, read, turn, ago } = openFigures(() => 3)
  const period = { from: ago(26 * hour), to: ago(25 * hour) }
  for (let n = 0; n < 3; n++) {
    assert.equal(await figures.events(tag, period), 3)
    turn(minute)
  }
  assert.equal(read.length, 1)
})

test('counts that could not be read are read again in the same minute', async () => {
  let isAway = true
  const { figures, lastHour } = openFigures(() => {
    if (isAway) throw new Error('The query was stopped.')
    return 3
  })
  await assert.rejects(figures.events(tag, lastHour()))
  isAway = false
  assert.equal(await figures.events(tag, lastHour()), 3)
})

test('the most frequent issue of an event counts, and not the sum of all', async () => {
  const { figures, lastHour } = openFigures(
    () => 10,
    [
      { eventName: 'Purchase', path: 'data.currency', message: 'must be a code', count: 3 },
      { eventName: 'Purchase', path: 'data.value', message: 'is missing', count: 4 },
      { eventName: 'PageView', path: 'url', message: 'is missing', count: 9 },
    ],
  )
  assert.deepEqual(await figures.eventIssues(tag, lastHour(), 'Purchase'), { part: 4, all: 10, path: 'data.value' })
  assert.deepEqual(await figures.valuesMissing(tag, lastHour(), 'Purchase'), { part: 4, all: 10 })
})
