import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { after, test } from 'node:test'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import { openDatabase, openReader } from '#kit/sqlite.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { dropAllExpired } from '#store/retention.fixture.ts'
import { createJournalReads } from '#store/sql/journalReads.ts'
import { runRead } from '#store/sql/read.ts'
import { at, idOf, plannedEvent } from '#store/store.fixture.ts'
import type { PlannedDelivery } from '#store/store.ts'
import { createDeliveryQueries } from './deliveryQueries.ts'
import { sqliteDialect } from './dialect.ts'
import { type JournalWriter, openJournalWriter } from './fold/journalWriter.ts'
import { createJournal } from './journal.ts'
import { readNewEvents } from './readChanges.ts'
import { createSqlReader, type SqlReader } from './sqlReader.ts'
import { createUserStore } from './userStore.ts'

const day = 86_400_000
const directory = mkdtempSync(join(tmpdir(), 'aglet-found-'))
const opened: { db: DatabaseSync; writer: JournalWriter }[] = []
after(async () => {
  for (const { db, writer } of opened) {
    db.close()
    await writer.close()
  }
  rmSync(directory, { recursive: true, force: true })
})

/** Opens a journal and records every read statement. */
async function openJournal(name: string) {
  const path = join(directory, `${name}.db`)
  const writer = await openJournalWriter(path, join(directory, `${name}-journal`), 0)
  const db = openReader(path)
  opened.push({ db, writer })
  const statements = new Set<string>()
  const read = createSqlReader(db)
  const noted: SqlReader = {
    one: (sql, ...params: SQLInputValue[]) => read.one(statements.add(sql) && sql, ...params),
    all: (sql, ...params: SQLInputValue[]) => read.all(statements.add(sql) && sql, ...params),
  }
  return {
    path,
    db,
    statements,
    writer,
    fold: writer.fold,
    journal: createJournal(noted, writer),
    findings: createDeliveryQueries(noted, writer),
    read: noted,
  }
}

const reads = createJournalReads(sqliteDialect, readNewEvents)

const ways: [DeliveryStatus, DeliveryReason | undefined][] = [
  ['delivered', undefined],
  ['dead', 'vendorDown'],
  ['skipped', 'consent'],
  ['refused', 'payloadRefused'],
]
const eventOf = (position: number, receivedAt: number) => {
  const deliveries = [1, 2, 3].map((script): PlannedDelivery => {
    const [status, reason] = ways[(position * script) % ways.length]!
    const deliveryId = idOf(position, 0, `scr_${script}`, receivedAt)
    return { deliveryId, scriptId: `scr_${script}`, providerId: 'eventSink', status, ...(reason && { reason }) }
  })
  return plannedEvent(position, { receivedAt, deliveries, eventName: position % 2 ? 'PageView' : 'Purchase' })
}

test('no filter, count or retention slice scans a table', async () => {
  const { db, statements, fold, journal, findings, read } = await openJournal('plans')
  await journal.plan(Array.from({ length: 300 }, (_, n) => eventOf(n + 1, at + n)))
  await journal.plan([eventOf(1_500, at + 300)]) // makes a whole block of positions for the funnel
  await fold()
  const some: DeliveryFilter[] = [
    {},
    { scriptId: 'scr_1' },
    { eventName: 'PageView' },
    { statuses: ['dead'] },
    { reasons: ['consent'] },
    { eventName: 'PageView', statuses: ['dead'] },
    { userId: 'usr_1' },
    { people: ['usr_1', 'usr_2'] },
    { orderHash: 'aa' },
    { userId: 'usr_1', eventName: 'PageView', statuses: ['dead'] },
    { httpStatuses: [503] },
  ]
  const filters = some.flatMap((each) => [each, { ...each, fromMs: at + 5, toMs: at + 90 }])
  for (const filter of filters) {
    const { next } = runRead(reads.deliveries('tag_1', filter, { limit: 5 }), read)
    runRead(reads.deliveries('tag_1', filter, { limit: 5, ...(next && { cursor: next }) }), read)
    runRead(reads.events('tag_1', filter, { limit: 5 }), read)
  }
  const place = await findings.newestEvent('tag_1')
  const open = [{ deliveryId: idOf(1, 0, 'scr_1', at), status: 'pending', at } as const]
  runRead(reads.watch('tag_1', { open, events: 5, ...(place && { after: place }), hasEvents: true }), read)
  runRead(reads.watch('tag_1', { open, events: 5, hasEvents: true }), read)
  const range = { from: at - day, to: at + day, step: 'hour' } as const
  runRead(reads.stats('tag_1', range), read)
  await journal.eventsOf('tag_1', 'usr_1', { limit: 5 })
  runRead(reads.channels('tag_1', ['scr_1', 'scr_2']), read)
  runRead(reads.funnel('tag_1', { from: at, to: at + day }), read)
  runRead(reads.funnel('tag_1', { from: at - day, to: Number.POSITIVE_INFINITY }), read)
  assert.ok([...statements].some((sql) => sql.includes('funnel_count')))
  runRead(reads.teamCounts(['tag_1'], range), read)
  runRead(reads.intake('tag_1', range), read)
  runRead(reads.matches('tag_1', range), read)
  runRead(reads.matches('tag_1', { ...range, scriptId: 'scr_1' }), read)
  runRead(reads.replayed('tag_1', ['rpl_1']), read)
  await findings.neededPositions(1, 50)
  await findings.exchangePack(1)
  await findings.exchangePackRefs([{ tagId: 'tag_1', position: 1, index: 0 }])
  const cutoffs = {
    journalMs: at + 1,
    failuresMs: at,
    bodiesMs: at,
    failedBodiesMs: at,
    keptDeployments: 5,
    hourlyRollupMs: at,
    dailyRollupMs: at,
  }
  await dropAllExpired(findings, cutoffs)
  assert.ok(statements.size > 15, `only ${statements.size} statements were seen`)
  for (const sql of statements) {
    const plan = db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    // Scans are allowed over derived tables of rows that an index found, and over what is in no table: given rows,
    // numbers of blocks.
    const isOfBuckets = sql.includes('event_bucket')
    const scans = plan.filter(
      (line) =>
        /^SCAN (?!counted|every_attempt|json_each|CONSTANT|(own|found|search|numbers)$)/.test(line) &&
        !(isOfBuckets && /^SCAN \(subquery-\d+\)$/.test(line)),
    )
    assert.deepEqual(scans, [], `${sql}\n${plan.join('\n')}`)
    // Two kinds of statements may sort: those that read the few rows of one event, and those that read the newest rows of each
    // bucket, at most LIMIT of each.
    const isOfOne = /position = \? AND (delivery\.)?idx = \?/.test(sql)
    if (isOfBuckets) {
      // The view reads one row of each bucket.
      const isOfView = /^SEARCH event USING COVERING INDEX event_user( \(bucket>\?\))?$/
      const searches = plan.filter((line) => line.startsWith('SEARCH event ') && !isOfView.test(line))
      assert.ok(searches.length > 0)
      for (const line of searches)
        assert.match(line, /event_(user|joined|order) \(bucket=\? AND \w+=\? AND \w+=\?/, sql)
    }
    const sorts = plan.filter((line) => !isOfOne && !isOfBuckets && line.includes('TEMP B-TREE FOR ORDER BY'))
    assert.deepEqual(sorts, [], `${sql}\n${plan.join('\n')}`)
  }
})

test('a look-up by user, e-mail match or order finds the events of every bucket, newest first', async () => {
  const { db, read, journal, fold } = await openJournal('buckets')
  const count = 40_000
  const isTheirs = (n: number) => n % 1_000 === 0
  for (let first = 0; first < count; first += 5_000) {
    const events = Array.from({ length: 5_000 }, (_, n) => {
      const position = first + n + 1
      const theirs = isTheirs(position) && { userId: 'usr_often', orderHash: 'aa' }
      const matched = isTheirs(position - 500) && { emailMatch: 'usr_often' }
      return plannedEvent(position, { userId: `usr_${position}`, deliveries: [], ...theirs, ...matched })
    })
    await journal.plan(events)
  }
  await fold()
  const buckets = db.prepare('SELECT no FROM event_bucket').all()
  assert.deepEqual(
    buckets.map(({ no }) => no),
    [0, 1, 2],
  )

  const found = (filter: DeliveryFilter, limit: number, cursor?: string) =>
    runRead(reads.events('tag_1', filter, { limit, ...(cursor && { cursor }) }), read)
  const every = (step: number, from = count) => Array.from({ length: from / step }, (_, n) => from - n * step)
  for (const filter of [{ userId: 'usr_often' }, { orderHash: 'aa' }] satisfies DeliveryFilter[]) {
    const first = found(filter, 25)
    const rest = found(filter, 25, first.next)
    const positions = [...first.rows, ...rest.rows].map(({ position }) => position)
    assert.deepEqual(positions, every(1_000))
  }
  const people = found({ people: ['usr_often', 'usr_nobody'] }, 100).rows.map(({ position }) => position)
  assert.deepEqual(people, every(500))
  assert.deepEqual(
    found({ userId: 'usr_39999' }, 5).rows.map(({ position }) => position),
    [39_999],
  )
  const { rows } = await journal.eventsOf('tag_1', 'usr_often', { limit: 60 })
  assert.deepEqual(
    rows.map(({ position }) => position),
    every(500).slice(0, 60),
  )
  assert.equal((await journal.firstEventOf('tag_1', 'usr_often'))?.position, 1_000)
})

test('a funnel adds up to the rows that retention has left, and none of its counts stays without them', async () => {
  const { db, read, journal, findings, fold } = await openJournal('funnel')
  await journal.plan(Array.from({ length: 2_000 }, (_, n) => eventOf(n + 1, at + n * 300)))
  await fold()
  const all = { from: at - day, to: Number.POSITIVE_INFINITY }
  const totals = () => [runRead(reads.funnel('tag_1', all), read)].map(({ events, planned }) => [events, planned])[0]
  const count = (table: string) => Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
  assert.deepEqual(totals(), [2_000, 6_000])
  const cutoffs = { bodiesMs: 0, failedBodiesMs: 0, keptDeployments: 5, hourlyRollupMs: 0, dailyRollupMs: 0 }
  await dropAllExpired(findings, { ...cutoffs, journalMs: at + 300_000, failuresMs: at + 300_000 })
  assert.deepEqual(totals(), [count('event'), count('delivery')])
  assert.ok(count('event') > 0 && count('event') < 2_000)
  await dropAllExpired(findings, { ...cutoffs, journalMs: at + day, failuresMs: at + day })
  assert.deepEqual([totals(), count('event'), count('funnel_count')], [[0, 0], 0, 0])
})

test('retention turns the log into rows once in a pass, and not once for each tag', async () => {
  const { journal, read, writer } = await openJournal('pass')
  const tags = Array.from({ length: 30 }, (_, n) => `tag_${100 + n}`)
  await journal.plan(tags.map((tagId, n) => plannedEvent(n + 1, { tagId, deliveries: [] })))
  let folds = 0
  const fold = () => {
    folds++
    return writer.fold()
  }
  const old = at + day
  const cutoffs = {
    ...{ journalMs: old, failuresMs: old, bodiesMs: old, failedBodiesMs: old },
    ...{ keptDeployments: 0, hourlyRollupMs: 0, dailyRollupMs: 0 },
  }
  assert.equal(await dropAllExpired(createDeliveryQueries(read, { ...writer, fold }), cutoffs), tags.length)
  assert.equal(folds, 1)

  const users = createUserStore(read, { ...writer, fold })
  const user = { userId: 'usr_1', sealed: new Uint8Array(9), seenAt: at }
  await users.put(tags.map((tagId) => ({ user: { ...user, tagId } })))
  const unseen: string[] = []
  for (let tagId = await users.nextTag(''); tagId !== undefined; tagId = await users.nextTag(tagId))
    for (const each of await users.unseen(tagId, { seenBefore: at + 1, erasedBefore: 0 }, 10)) unseen.push(each.tagId)
  assert.deepEqual(unseen.sort(), tags)
  assert.equal(folds, 2)
})

test('a page scans at most 5,000 rows, and the next page continues from there', async () => {
  const { read, journal, fold } = await openJournal('far')
  const events = Array.from({ length: 6_000 }, (_, n) => ({ ...eventOf(2 * n + 1, at + n), deliveries: [] }))
  await journal.plan(events)
  await journal.plan([eventOf(1, at)])
  await journal.plan([{ ...eventOf(0, at), eventName: 'PageView' }])
  await fold()
  const first = runRead(reads.deliveries('tag_1', { eventName: 'PageView' }, { limit: 5 }), read)
  assert.deepEqual([first.rows.length, first.next !== undefined], [0, true])
  const second = runRead(reads.deliveries('tag_1', { eventName: 'PageView' }, { limit: 5, cursor: first.next! }), read)
  assert.deepEqual([second.rows.length, second.next], [3, undefined])
})

test('after N days of load, retention drops as much as arrives: the numbers of rows and pages are bounded', async () => {
  const { path, findings, journal } = await openJournal('days')
  const db = openDatabase(path)
  const size = () => {
    const used = Number(db.prepare('PRAGMA page_count').get()?.page_count)
    const tables = ['event', 'delivery', 'attempt', 'bodies', 'counted_name', 'counted_day', 'funnel_count']
    const rows = tables.map((table) => Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count))
    return { used, rows }
  }
  const sizes: ReturnType<typeof size>[] = []
  for (let n = 0; n < 12; n++) {
    const now = at + n * day
    const events = Array.from({ length: 200 }, (_, k) => ({
      ...eventOf(n * 200 + k + 1, now + k),
      eventName: `name ${k}`,
    }))
    await journal.plan(events)
    const packed = { pack: 0, part: 0 }
    const outcomes = events.map(({ deliveries: [delivery] }) => {
      const { deliveryId, status, reason } = delivery!
      const attempt = { deliveryId, number: 1, at: now, durationMs: 1, packed }
      return { deliveryId, status, ...(reason && { reason }), attempt }
    })
    await journal.settle(outcomes, [{ tagId: 'tag_1', failed: false, at: now, sealed: new Uint8Array(20_000) }])
    const cutoffs = {
      journalMs: now - 3 * day,
      failuresMs: now - 5 * day,
      bodiesMs: now - 2 * day,
      failedBodiesMs: now - 5 * day,
      keptDeployments: 5,
      hourlyRollupMs: now - day,
      dailyRollupMs: now - 3 * day,
    }
    await dropAllExpired(findings, cutoffs)
    sizes.push(size())
  }
  db.close()
  const [early, late] = [sizes[6]!, sizes[11]!]
  assert.deepEqual(late.rows, early.rows)
  // The counts of each day are kept for ever.
  assert.ok(late.used <= early.used * 1.15, `${early.used} pages grew to ${late.used}`)
})
