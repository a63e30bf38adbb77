import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { packWrites, type WriteUnit } from '#kit/writeBatch.ts'
import { openLogIn } from '#log/openLog.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import { at } from '#store/store.fixture.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { cases } from '../../../../test/fake/cases.ts'
import { requeueStatements } from '../deliveryStatements.ts'
import { encodeRecord, type JournalRecord } from './journalRecords.ts'
import { openStoreWrites } from './storeWrites.ts'

const root = mkdtempSync(join(tmpdir(), 'aglet-fold-'))
after(() => rmSync(root, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(root, `${++folders}`)

const statuses = ['pending', 'pending', 'skipped', 'held'] as const
/** The result of the next attempt of a waiting delivery. */
const results = ['delivered', 'refused', 'pending'] as const

type Step =
  | { plan: readonly (typeof statuses)[number][]; isHeld: boolean }
  | { settle: number; result: (typeof results)[number]; isRepeated: boolean; hasPack: boolean }
  | { begin: number }
  | { user: number; hasEmail: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      plan: fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 3 }),
      isHeld: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      settle: fc.nat(99),
      result: fc.constantFrom(...results),
      isRepeated: fc.boolean(),
      hasPack: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ begin: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ user: fc.nat(3), hasEmail: fc.boolean() }) },
)

/** The records of a history, as a worker writes them: outcomes only of deliveries that wait. */
function recordsOf(steps: readonly Step[]): JournalRecord[] {
  const waiting: DueDelivery[] = []
  const records: JournalRecord[] = []
  const pick = (n: number) => (waiting.length > 0 ? waiting[n % waiting.length] : undefined)
  for (const [n, each] of steps.entries()) {
    if ('plan' in each) records.push(planned(n, each, waiting))
    else if ('user' in each) records.push({ users: [userWrite(each.user, n, each.hasEmail)] })
    else if ('begin' in each) {
      const retried = pick(each.begin)
      if (retried && retried.attempts > 0)
        records.push({ begin: [{ deliveryId: retried.deliveryId, untilMs: at + n }] })
    } else {
      const delivery = pick(each.settle)
      if (!delivery) continue
      const record = settled(delivery, each, n)
      records.push(record, ...(each.isRepeated ? [record] : []))
      if (each.result === 'pending') delivery.attempts++
      else waiting.splice(waiting.indexOf(delivery), 1)
    }
  }
  return records
}

function planned(n: number, { plan, isHeld }: Extract<Step, { plan: unknown }>, waiting: DueDelivery[]): JournalRecord {
  const event: Omit<PlannedEvent, 'deliveries'> = {
    position: n + 1,
    index: 0,
    tagId: `tag_${n % 2}`,
    eventName: `Event ${n % 3}`,
    userId: `usr_${n}`,
    receivedAt: at + n * 20_000,
    consent: { source: 'none' },
    place: { source: 'unknown' },
    ...(isHeld && { held: { waitsFor: `usr_${n}`, until: at + 1_000_000 } }),
  }
  const deliveries = plan.map((status, script) => {
    const { tagId, position, index, receivedAt } = event
    const scriptId = `scr_${n % 2}_${script}`
    const deliveryId = deliveryIdOf({ position, index, receivedAt, scriptId })
    const delivery = { deliveryId, scriptId, providerId: 'eventSink' as const }
    const counts = { attempts: 0, uncountedAttempts: 0, priority: 'new' as const, nextAt: receivedAt }
    if (status === 'pending') waiting.push({ ...delivery, tagId, position, index, receivedAt, ...counts })
    return { ...delivery, status, ...(status !== 'pending' && { reason: 'consent' as const }) }
  })
  return { plan: [{ ...event, deliveries }] }
}

function settled(
  delivery: DueDelivery,
  { result, hasPack }: Extract<Step, { settle: unknown }>,
  n: number,
): JournalRecord {
  const { deliveryId, tagId, attempts } = delivery
  const attempt = { deliveryId, number: attempts + 1, at: at + n * 1_000, durationMs: n, httpStatus: 200 + n }
  const packs = hasPack ? [{ tagId, failed: result !== 'delivered', at: at + n, sealed: new Uint8Array([n]) }] : []
  const outcome: DeliveryOutcome = {
    deliveryId,
    tagId,
    status: result,
    ...(result === 'refused' && { reason: 'payloadRefused' as const }),
    ...(result === 'pending' && { reason: 'vendorDown' as const, nextAt: at + n * 60_000 }),
    at: at + n * 1_000,
    delivery: { ...delivery },
    attempt: { ...attempt, ...(hasPack && { packed: { pack: 0, part: 0 } }) },
  }
  return { settle: [outcome], packs }
}

const userWrite = (user: number, n: number, hasEmail: boolean) => ({
  user: { tagId: 'tag_0', userId: `usr_${user}`, sealed: new Uint8Array([user, n]), seenAt: at + n },
  ...(hasEmail && { lookupKeys: { claims: [new Uint8Array([user, 7])] } }),
})

/** Selects the rows without their numbers, which depend on the order of writing. */
const questions = [
  `SELECT ref.id AS tag, position, idx, name, user, received_at, consent, place, joined, hex(order_hash) FROM event JOIN ref ON no = tag`,
  `SELECT tag.id AS tag, position, idx, script.id AS script, provider.id AS provider, status, reason, attempts, uncounted, next_at,
    priority, queue, under_way, crash_count, at, steps
    FROM delivery JOIN ref AS tag ON tag.no = tag JOIN ref AS script ON script.no = script
      JOIN ref AS provider ON provider.no = provider`,
  `SELECT position, idx, ref.id AS script, number, attempt.at, duration_ms, http_status, message, sealed, part, joined
    FROM every_attempt AS attempt JOIN ref ON ref.no = script LEFT JOIN bodies ON bodies.no = bodies`,
  `SELECT ref.id AS tag, minute, name, count FROM event_count JOIN ref ON no = tag`,
  `SELECT tag.id AS tag, minute, script.id AS script, name, status, reason, count
    FROM delivery_count JOIN ref AS tag ON tag.no = tag JOIN ref AS script ON script.no = script`,
  `SELECT ref.id AS tag, user, position, idx, until FROM held JOIN ref ON no = tag`,
  `SELECT ref.id AS tag, tag_user.id, sealed, seen_at, version FROM tag_user JOIN ref ON ref.no = tag`,
  `SELECT ref.id AS tag, fingerprint, kind, user_id, overall_consent, seen_at FROM email_user JOIN ref ON no = tag`,
]
function rowsOf(path: string): string[][] {
  const db = new DatabaseSync(path, { readOnly: true })
  const rows = questions.map((sql) =>
    db
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row))
      .sort(),
  )
  db.close()
  return rows
}

/** The counts of the funnel that the table has, and those of the rows. */
function funnelOf(path: string) {
  const db = new DatabaseSync(path, { readOnly: true })
  const read = (sql: string) => db.prepare(`${sql} ORDER BY 1, 2, 3, 4, 5`).all()
  const has = read('SELECT block, tag, script, status, reason, count FROM funnel_count')
  const counted = read(`
    SELECT position >> 9 AS block, tag, 0 AS script, '' AS status, '' AS reason, count(*) AS count FROM event GROUP BY 1, 2
    UNION ALL
    SELECT position >> 9, tag, script, status, ifnull(reason, ''), count(*) FROM delivery GROUP BY 1, 2, 3, 4, 5`)
  db.close()
  return { has, counted }
}

type Folded = { path: string; skipped: string[] }

/** The records after which the log is folded, and whether the thread then restarts. */
type Cuts = readonly { afterRecord: number; isRestart: boolean }[]

/** Writes each record as its own group, folds at the cuts, and folds the rest at the end. */
async function fold(records: readonly ReturnType<typeof encodeRecord>[], cuts: Cuts): Promise<Folded> {
  const [folder, path] = [newFolder(), `${newFolder()}.db`]
  const skipped: string[] = []
  const log = openLogIn(folder)
  let writes = openStoreWrites({ path, folder })
  for (const [n, record] of records.entries()) {
    await log.append([record])
    const cut = cuts.find(({ afterRecord }) => afterRecord === n)
    if (!cut) continue
    if (cut.isRestart) {
      writes.close()
      writes = openStoreWrites({ path, folder })
    }
    skipped.push(...writes.answer({ to: log.end() }).skipped)
  }
  skipped.push(...writes.answer({ to: log.end() }).skipped)
  writes.close()
  await log.close()
  return { path, skipped }
}

const cut = fc.record({ afterRecord: fc.nat(40), isRestart: fc.boolean() })

test('a log that is folded at any cuts, by one thread or by several, gives the rows of one fold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.array(cut, { maxLength: 8 }), async (steps, cuts) => {
      const records = recordsOf(steps).map(encodeRecord)
      const [whole, parts] = [await fold(records, []), await fold(records, cuts)]
      assert.deepEqual(whole.skipped, [])
      assert.deepEqual(parts.skipped, [])
      assert.deepEqual(rowsOf(parts.path), rowsOf(whole.path))
      for (const { has, counted } of [funnelOf(whole.path), funnelOf(parts.path)]) assert.deepEqual(has, counted)
    }),
    { numRuns: cases(300, 40) },
  )
})

const plan = (position: number): JournalRecord => planned(position - 1, { plan: ['pending'], isHeld: false }, [])

test('a delivery that a replay or an outcome adds is counted in the funnel once', async () => {
  const [folder, path] = [newFolder(), `${newFolder()}.db`]
  const log = openLogIn(folder)
  const waiting: DueDelivery[] = []
  await log.append([planned(0, { plan: ['pending', 'skipped'], isHeld: false }, waiting)].map(encodeRecord))
  const [{ position, index, tagId, receivedAt }] = waiting as [DueDelivery]
  const added = ['scr_new', 'scr_late'].map((scriptId) => {
    const deliveryId = deliveryIdOf({ position, index, receivedAt, scriptId })
    return { ...waiting[0]!, deliveryId, scriptId, tagId, nextAt: at }
  })
  const settle = (delivery: DueDelivery, result: 'delivered' | 'pending', n: number) =>
    encodeRecord(settled(delivery, { settle: 0, result, isRepeated: false, hasPack: false }, n))
  await log.append([settle(added[1]!, 'pending', 1)])
  await log.append([settle({ ...added[1]!, attempts: 1 }, 'delivered', 2), settle(waiting[0]!, 'delivered', 3)])
  const writes = openStoreWrites({ path, folder })
  const batch = packWrites([requeueStatements([added[0]!]), requeueStatements(added)])
  writes.answer({ to: log.end(), batch })
  writes.close()
  await log.close()
  const { has, counted } = funnelOf(path)
  assert.equal(counted.length, 5)
  assert.deepEqual(has, counted)
})

test('a record that cannot be applied is told and skipped, and those around it have their rows', async () => {
  const unknown = { ...encodeRecord(plan(3)), kind: 9 }
  const { path, skipped } = await fold([encodeRecord(plan(1)), unknown, encodeRecord(plan(2))], [])
  assert.match(skipped.join(), /unknown kind 9/)
  assert.equal(rowsOf(path)[0]!.length, 2)
})

test('a thread that starts while the process appends folds only what it is asked to', async () => {
  const [folder, path] = [newFolder(), `${newFolder()}.db`]
  const log = openLogIn(folder)
  await log.append([encodeRecord(plan(1))])
  const to = log.end()
  await log.append([encodeRecord(plan(2))])
  const writes = openStoreWrites({ path, folder }, { foldsNow: false })
  assert.equal(rowsOf(path)[0]!.length, 0)
  assert.deepEqual(writes.answer({ to }).folded, to)
  assert.equal(rowsOf(path)[0]!.length, 1)
  writes.close()
  await log.close()
})

test('the first outcome of an attempt stands, also where both are folded together', async () => {
  const waiting: DueDelivery[] = []
  const first = planned(0, { plan: ['pending'], isHeld: false }, waiting)
  const by = { settle: 0, isRepeated: false, hasPack: false }
  const outcomes = (['delivered', 'refused'] as const).map((result, n) => settled(waiting[0]!, { ...by, result }, n))
  const records = [first, ...outcomes].map(encodeRecord)
  for (const cuts of [[], [{ afterRecord: 1, isRestart: true }]]) {
    const [, deliveries, attempts] = rowsOf((await fold(records, cuts)).path)
    assert.match(deliveries!.join(), /"status":"delivered"/)
    assert.equal(attempts!.length, 1)
  }
})

test('a first attempt stands in the row of its delivery, also if the row was written before it ended', async () => {
  const waiting: DueDelivery[] = []
  const first = planned(0, { plan: ['pending'], isHeld: false }, waiting)
  const ended = settled(waiting[0]!, { settle: 0, result: 'delivered', isRepeated: false, hasPack: true }, 1)
  const { path } = await fold([first, ended].map(encodeRecord), [{ afterRecord: 0, isRestart: false }])
  const db = new DatabaseSync(path, { readOnly: true })
  const { first_at, bodies } = db.prepare('SELECT first_at, bodies FROM delivery').get()!
  assert.ok(first_at !== null && bodies !== null)
  assert.deepEqual(db.prepare('SELECT * FROM attempt').all(), [])
  db.close()
})

test('nothing of what was deleted is left in the file after a purge, also where SQLite had moved the rows', () => {
  const [folder, path] = [newFolder(), `${newFolder()}.db`]
  const writes = openStoreWrites({ path, folder })
  const write = (...units: WriteUnit[]) => writes.answer({ to: { segment: 0, offset: 0 }, batch: packWrites(units) })
  write([{ sql: 'CREATE TABLE note (at INTEGER PRIMARY KEY, text TEXT)', rows: [[]] }])
  // every eleventh place repeatedly, so that pages in the middle are split and their rows move
  const rows = Array.from({ length: 12_000 }, (_, n) => {
    const text = n % 40 === 0 ? 'canary' : 'other'
    return [((n * 7_919) % 12_007) + 1, `${text} ${'x'.repeat((n * 31) % 300)}`]
  })
  write([{ sql: 'INSERT INTO note (at, text) VALUES (?, ?)', rows }])
  write([{ sql: "DELETE FROM note WHERE text LIKE 'canary%'", rows: [[]] }])
  writes.answer({ to: { segment: 0, offset: 0 }, purge: 1 })
  const files = [path, `${path}-wal`].map((each) => readFileSync(each).toString('latin1'))
  assert.deepEqual(
    files.map((text) => text.includes('canary')),
    [false, false],
  )
  assert.ok(files[0]!.includes('other'))
  writes.close()
})
