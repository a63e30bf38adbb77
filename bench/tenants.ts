/**
 * One team at its limits beside another that sends little: how late the other's events come to its channels, and by how much its
 * answers are late. The limits are the defaults.
 */
import { Agent, type Dispatcher, Pool, request } from 'undici'
import { openDatabase } from '#kit/sqlite.ts'
import { dataDirAt } from '../src/cli/operator/dataDir.ts'
import { type Aglet, type Customer, call, until } from '../test/fake/aglet.ts'
import { tagTo } from './aglet.ts'
import { fifty, loadAt, type MakeAsk, quantile, single } from './load.ts'
import type { Vendor } from './target.ts'

/** What a team does until the signal, and what came of it. */
type Abuse = (of: Customer, signal: AbortSignal) => Promise<Record<string, unknown>>

/** Sends at an even rate whatever is answered, and counts the answers by their status. */
const flood =
  (perSecond: number, ask: MakeAsk): Abuse =>
  async ({ tagUrl }, signal) => {
    const { origin, pathname } = new URL(tagUrl)
    const pool = new Pool(origin, { connections: 64, pipelining: 1 })
    const statuses: Record<number, number> = {}
    const flights = new Set<Promise<unknown>>()
    const headers = { 'content-type': 'application/json' }
    const one = async () => {
      const options: Dispatcher.RequestOptions = {
        path: `${pathname}/tag`,
        method: 'POST',
        headers,
        body: ask(Date.now()).body,
      }
      const answer = await pool.request(options)
      await answer.body.dump()
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1
    }
    const begun = performance.now()
    for (let sent = 0; !signal.aborted; ) {
      for (const due = ((performance.now() - begun) / 1_000) * perSecond; sent < due && flights.size < 1_000; sent++) {
        const flight: Promise<unknown> = one().finally(() => flights.delete(flight))
        flights.add(flight)
      }
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all(flights)
    await pool.close()
    return { statuses }
  }

const headersOf = ({ token, teamId }: Customer) => ({ authorization: `Bearer ${token}`, 'team-id': teamId })

/** Opens as many streams as it may, and sends enough for them to have something to tell. */
const streams: Abuse = async (of, signal) => {
  const dispatcher = new Agent({ connections: 20, bodyTimeout: 0 })
  let bytes = 0
  const watch = async () => {
    const { statusCode, body } = await request(`${of.baseUrl}/tag/${of.tagId}/live`, {
      headers: headersOf(of),
      dispatcher,
      signal,
    })
    for await (const chunk of body) bytes += chunk.length
    return statusCode
  }
  const watching = Array.from({ length: 12 }, () => watch().catch(() => 0))
  const sent = await flood(200, single)(of, signal)
  await Promise.all(watching)
  await dispatcher.close()
  return { ...sent, streamedMb: Math.round(bytes / 1e6) }
}

/** Asks for sums and searches, so many at a time, one after the other. */
const queries: Abuse = async (of, signal) => {
  const week = 7 * 86_400_000
  const statuses: Record<number, number> = {}
  const paths = [`/stats?from=${Date.now() - week}&step=hour`, '/delivery?status=delivered&eventName=nothing']
  const one = async (path: string) => {
    while (!signal.aborted) {
      const { status } = await call(of, 'GET', `/tag/${of.tagId}${path}`)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, n) => one(paths[n % 2]!)))
  return { statuses }
}

const minutesOfWeek = 7 * 24 * 60
const scripts = 20
const names = 5

/** A week of counts: two million rows. Written while nothing is measured. */
async function seedCounts({ data }: Aglet, { tagId }: Customer): Promise<void> {
  const db = openDatabase(dataDirAt(data).store('production'))
  const last = Math.floor(Date.now() / 60_000)
  const refs = Array.from({ length: scripts }, (_, n) => `scr_bench${n}`)
  for (const ref of [tagId, ...refs]) db.prepare('INSERT INTO ref (id) VALUES (?) ON CONFLICT (id) DO NOTHING').run(ref)
  const seed = db.prepare(`
    WITH RECURSIVE minutes (minute) AS (SELECT ?1 UNION ALL SELECT minute + 1 FROM minutes WHERE minute < ?1 + 119),
      names (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM names WHERE n < ${names})
    INSERT INTO delivery_count (tag, minute, script, name, status, reason, count)
    SELECT (SELECT no FROM ref WHERE id = ?2), minute, script.no, 'event ' || n, column1, '', 1
    FROM minutes, names, ref AS script, (VALUES ('delivered'), ('dead')) WHERE script.id LIKE 'scr_bench%'
    ON CONFLICT DO NOTHING`)
  // Slice by slice, so that the server's own writes wait for none of them long.
  for (let minute = last - minutesOfWeek; minute < last; minute += 120) {
    seed.run(minute, tagId)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  db.close()
}

type Bench = { aglet: Aglet; vendor: Vendor }
export type Tenants = { perSecond: number; seconds: number }

/** How late the events of a team that sends little come, and its answers; in ms, of a hundred the last. */
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

const abuses: [name: string, channels: number, abuse: Abuse, seed?: typeof seedCounts][] = [
  ['sends 2,400 events a second', 1, flood(2_400, single)],
  ['sends 2,400 events a second in lists of 50', 1, flood(48, fifty)],
  ['watches by ten streams what it sends, 200 events a second', 3, streams],
  ['asks for sums of two million rows and searches, twenty at a time', 1, queries, seedCounts],
]

/** Each abuse beside a quiet team, and the same quiet team alone before it. */
export async function tenants(on: Bench, size: Tenants, say: (what: string, row: object) => void): Promise<void> {
  for (const [n, [what, channels, abuse, seed]] of abuses.entries()) {
    const sink = (sign: string, count: number) =>
      Array.from({ length: count }, (_, each) => `${on.vendor.url}/fast/${sign}${each}`)
    const quiet = await tagTo(on.aglet, `quiet ${n}`, sink(`quiet${n}-`, 9))
    const loud = await tagTo(on.aglet, `loud ${n}`, sink(`loud${n}-`, channels))
    await seed?.(on.aglet, loud)
    await measure(on, quiet, `quiet${n}-`, { ...size, seconds: 3 })
    const alone = await measure(on, quiet, `quiet${n}-`, size)
    const stop = new AbortController()
    const abused = abuse(loud, stop.signal)
    const beside = await measure(on, quiet, `quiet${n}-`, size)
    stop.abort()
    const goalMs = Math.round(Math.max(1.2 * alone.deliveredP99Ms, alone.deliveredP99Ms + 50))
    say(`a quiet team beside one that ${what}`, { alone, beside, goalMs, ...(await abused) })
  }
}
