// The cost of evaluating one alert rule of each kind: `npm run bench:alerts`, a minute with four weeks of counts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { findBreaches } from '#alert/findBreaches.ts'
import { createStoreFigures } from '#alert/storeFigures.ts'
import { type AlertRuleKind, alertRuleKinds } from '#contract/alertKinds.ts'
import { createSnapshots } from '#script/snapshot.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { aScript, aTag } from '../test/fake/tag.ts'
import { describeMachine, machineLine } from './machine.ts'

const { values } = parseArgs({
  options: { days: { type: 'string', default: '29' }, rounds: { type: 'string', default: '20' } },
})
const [days, rounds] = [Number(values.days), Number(values.rounds)]
const minuteMs = 60_000
const last = Math.floor(Date.now() / minuteMs)
const first = last - days * 1_440
const names = ['PageView', 'ViewContent', 'AddToCart', 'InitiateCheckout', 'Purchase']
const channels = ['scr_1', 'scr_2', 'scr_3']
const listed = (texts: readonly string[]) => `(VALUES ${texts.map((text) => `('${text}')`).join(', ')})`
const refOf = (text: string) => `(SELECT no FROM ref WHERE id = ${text})`
const tag = refOf("'tag_bench'")

/** A row for every name and channel: for each minute of two days, and for each earlier hour. The shop is never quiet. */
const statements = [
  ...['tag_bench', ...channels].map((id) => `INSERT OR IGNORE INTO ref (id, code) VALUES ('${id}', 1)`),
  `INSERT INTO event_count SELECT ${tag}, n, e.column1, 20 + n % 7 FROM minutes, ${listed(names)} AS e`,
  `INSERT INTO delivery_count
    SELECT ${tag}, n, ${refOf('c.column1')}, e.column1, s.column1, s.column2, 9
    FROM minutes, ${listed(names)} AS e, ${listed(channels)} AS c,
      (VALUES ('delivered', ''), ('skipped', 'consent')) AS s`,
  `INSERT INTO latency_count
    SELECT ${tag}, n, ${refOf('c.column1')}, 1, b.column1, 5
    FROM minutes, ${listed(channels)} AS c, (VALUES (20), (30), (40)) AS b`,
  `INSERT INTO intake_count
    SELECT ${tag}, n, c.column1, 90 FROM minutes, (VALUES ('accepted'), ('duplicate'), ('rejected')) AS c`,
  `INSERT INTO match_count
    SELECT ${tag}, n, ${refOf('c.column1')}, 'Purchase', 0, w.column1, 900
    FROM minutes, ${listed(channels)} AS c, (VALUES ('events'), ('strong')) AS w WHERE n % 60 = 0`,
]

const folder = mkdtempSync(join(tmpdir(), 'aglet-bench-alerts-'))
const file = join(folder, 'store.db')
try {
  console.log(machineLine(describeMachine()))
  await (await openSqliteStore(file)).close()
  const db = new DatabaseSync(file)
  db.exec(`CREATE TEMP TABLE minutes AS
    WITH RECURSIVE m (n) AS (VALUES (${first}) UNION ALL SELECT n + 1 FROM m WHERE n < ${last})
    SELECT n FROM m WHERE n % 60 = 0 OR n > ${last - 2 * 1_440}`)
  for (const each of statements) db.exec(each)
  db.close()
  const store = await openSqliteStore(file)
  let minute = 0
  /** Each evaluation is a minute after the previous one, as in the server. */
  const clock = { now: () => minute }
  const snapshots = createSnapshots()
  snapshots.put(
    aTag(
      channels.map((scriptId) => aScript(scriptId)),
      { tagId: 'tag_bench' },
    ),
  )
  const newFigures = () => createStoreFigures({ clock, store, snapshots, freeDisk: async () => 0.5 })
  const watched = { tagId: 'tag_bench', teamId: 'team_1', name: 'shop', createdAt: first * minuteMs }
  console.log('| kind | CPU of all threads, ms | time, ms |\n|---|---|---|')
  const measured = async (title: string, kinds: readonly AlertRuleKind[]) => {
    const figures = newFigures()
    minute = (last - rounds - 5) * minuteMs
    const evaluate = async () => {
      minute += minuteMs
      for (const kind of kinds)
        await findBreaches({ rule: { name: kind, kind, to: [] }, tag: watched, now: minute, figures })
    }
    for (let n = 0; n < 3; n++) await evaluate()
    const [cpu, began] = [process.cpuUsage(), performance.now()]
    for (let n = 0; n < rounds; n++) await evaluate()
    const { user, system } = process.cpuUsage(cpu)
    const of = rounds * kinds.length
    console.log(
      `| ${title} | ${((user + system) / 1_000 / of).toFixed(2)} | ${((performance.now() - began) / of).toFixed(2)} |`,
    )
  }
  for (const kind of alertRuleKinds) await measured(kind, [kind])
  // The names of four weeks are compared once an hour.
  const minutely = alertRuleKinds.filter((kind) => kind !== 'newEventName')
  await measured(`each of ${minutely.length} rules of one tag`, minutely)
  await store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
