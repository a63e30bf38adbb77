/**
 * One team at its limits beside a quiet team: the delay of the quiet team's events at its channels, and of its answers. The
 * limits are the defaults.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openDatabase } from '#kit/sqlite.ts'
import { addRefs } from '#store/sqlite/refs.ts'
import { resolveDataDir } from '../src/runtime/dataDir.ts'
import { type Aglet, type Customer, until } from '../test/fake/aglet.ts'
import { tagTo } from './aglet.ts'
import { loadAt, quantile, single } from './load.ts'
import type { Vendor } from './target.ts'

const minutesOfWeek = 7 * 24 * 60
const scripts = 20
const names = 5

/** A week of counts: two million rows. Written while nothing is measured. */
async function seedCounts({ data }: Aglet, { tagId }: Customer): Promise<void> {
  const db = openDatabase(resolveDataDir(data).store('production'))
  const last = Math.floor(Date.now() / 60_000)
  const refs = Array.from({ length: scripts }, (_, n) => `scr_bench${n}`)
  const { sql, rows } = addRefs([tagId, ...refs])
  for (const row of rows) db.prepare(sql).run(...row)
  const seed = db.prepare(`
    WITH RECURSIVE minutes (minute) AS (SELECT ?1 UNION ALL SELECT minute + 1 FROM minutes WHERE minute < ?1 + 119),
      names (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM names WHERE n < ${names})
    INSERT INTO delivery_count (tag, minute, script, name, status, reason, count)
    SELECT (SELECT no FROM ref WHERE id = ?2), minute, script.no, 'event ' || n, column1, '', 1
    FROM minutes, names, ref AS script, (VALUES ('delivered'), ('dead')) WHERE script.id LIKE 'scr_bench%'
    ON CONFLICT DO NOTHING`)
  // In slices, so that the server's own writes never wait long.
  for (let minute = last - minutesOfWeek; minute < last; minute += 120) {
    seed.run(minute, tagId)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  db.close()
}

type Bench = { aglet: Aglet; vendor: Vendor }
export type Tenants = { perSecond: number; seconds: number }

/** The delays of the events and answers of a quiet team, in ms, 99th percentile. */
async function measure({ vendor }: Bench, { tagUrl }: Customer, sign: string, { perSecond, seconds }: Tenants) {
  await vendor.told()
  const answers = await loadAt({ url: `${tagUrl}/tag`, perSecond, seconds, ask: single })
  await until(async () => {
    const came = Object.entries(await vendor.came()).filter(([path]) => path.startsWith(`fast/${sign}`))
    return came.reduce((sum, [, count]) => sum + count, 0) >= answers.length * 9
  }, 600_000)
  const told = Object.entries(await vendor.told()).filter(([path]) => path.startsWith(`fast/${sign}`))
  return {
    deliveredP99Ms: Math.max(...told.map(([, { p99 }]) => p99)),
    answeredP99Ms: Math.round(quantile(answers, 0.99)),
  }
}

/** The activity of the loud team, its number of channels, and the data that are stored for it first. */
type Abuse = { says: string; name: string; channels: number; seed?: typeof seedCounts }
const abuses: readonly Abuse[] = [
  { says: 'sends a fifth more than its limit', name: 'singles', channels: 1 },
  { says: 'sends a fifth more than its limit in lists of 50', name: 'lists', channels: 1 },
  { says: 'watches by ten streams what it sends, 200 events a second', name: 'streams', channels: 3 },
  {
    says: 'asks for sums of two million rows and searches, twenty at a time',
    name: 'queries',
    channels: 1,
    seed: seedCounts,
  },
]

/** In a separate process, so that its cost does not delay the measurements. */
function begin({ name }: Abuse, loud: Customer, perSecond: number) {
  const words = [join(import.meta.dirname, 'abuse.ts'), name, `${perSecond}`, JSON.stringify(loud)]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const told = text(child.stdout)
  return async () => {
    child.kill('SIGTERM')
    return JSON.parse(await told) as object
  }
}

/** Each abuse beside a quiet team, and the same quiet team alone before it. `limit`: events per second of a team. */
export async function tenants(
  deps: Bench,
  { limit, ...size }: Tenants & { limit: number },
  say: (what: string, row: object) => void,
): Promise<void> {
  for (const [n, abuse] of abuses.entries()) {
    const sink = (sign: string, count: number) =>
      Array.from({ length: count }, (_, each) => `${deps.vendor.url}/fast/${sign}${each}`)
    const quiet = await tagTo(deps.aglet, `quiet ${n}`, sink(`quiet${n}-`, 9))
    const loud = await tagTo(deps.aglet, `loud ${n}`, sink(`loud${n}-`, abuse.channels))
    await abuse.seed?.(deps.aglet, loud)
    await measure(deps, quiet, `quiet${n}-`, { ...size, seconds: 3 })
    const alone = await measure(deps, quiet, `quiet${n}-`, size)
    const end = begin(abuse, loud, 1.2 * limit)
    await new Promise((resolve) => setTimeout(resolve, 8_000)) // starts and uses up its burst, at a fifth per second
    const beside = await measure(deps, quiet, `quiet${n}-`, size)
    const goalMs = Math.round(Math.max(1.2 * alone.deliveredP99Ms, alone.deliveredP99Ms + 50))
    say(`a quiet team beside one that ${abuse.says}`, { alone, beside, goalMs, ...(await end()) })
  }
}
