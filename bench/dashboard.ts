/**
 * The cost of dashboard reads with many events in the journal: the time of each call, and how long the main thread is blocked
 * meanwhile, measured by the longest wait of a small concurrent call. `npm run bench:dashboard`, with `--events`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { freePort, makeCustomer, makeScript, startAglet, stopAglet } from '../test/fake/aglet.ts'
import { median } from './load.ts'
import { seedJournal } from './seed.ts'

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    /** Channels of the tag: each event has a delivery for each. */
    scripts: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '9' },
  },
})
const rounds = Number(flags.rounds)
const secret = { variable: 'EVENT_SINK_URL', type: 'TEXT', value: 'https://sink.example.com/in' } as const

type Measured = { ms: number; heldMs: number }

/** One call, and the longest time of a small call that ran meanwhile. */
async function measure(pool: Pool, path: string, headers: Record<string, string>): Promise<Measured> {
  let isDone = false
  let heldMs = 0
  const beside = (async () => {
    while (!isDone) {
      const begun = performance.now()
      await (await pool.request({ method: 'GET', path: '/healthz' })).body.dump()
      heldMs = Math.max(heldMs, performance.now() - begun)
    }
  })()
  const begun = performance.now()
  const answer = await pool.request({ method: 'GET', path, headers })
  const text = await answer.body.text()
  const ms = performance.now() - begun
  isDone = true
  await beside
  if (answer.statusCode !== 200) throw new Error(`GET ${path} answered ${answer.statusCode}: ${text}`)
  return { ms, heldMs }
}

const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
const port = await freePort()
const start = () => startAglet({ data, port, flags: ['--rate-limit', '1000000'] })
let aglet = await start()
try {
  const customer = await makeCustomer(aglet, 'bench')
  const { token, teamId, tagId } = customer
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const scriptIds: string[] = []
  for (let n = 0; n < Number(flags.scripts); n++)
    scriptIds.push(await makeScript(customer, 'eventSink', `script ${n}`, [secret]))
  await stopAglet(aglet)
  const begun = performance.now()
  await seedJournal(data, { tagId, scriptIds }, Number(flags.events))
  console.log(
    `${flags.events} events with ${flags.scripts} deliveries each, seeded in ${Math.round((performance.now() - begun) / 1_000)} s`,
  )
  aglet = await start()
  const pool = new Pool(aglet.origin, { connections: 2, pipelining: 1 })
  const tag = `/v1/tag/${tagId}`
  const dayAgo = Date.now() - 86_400_000
  const paths = {
    'events, 50': `${tag}/event`,
    'events, 1,000': `${tag}/event?limit=1000`,
    'events with dead deliveries': `${tag}/event?status=dead`,
    'events of a user': `${tag}/event?userId=usr_7`,
    'deliveries, 50': `${tag}/delivery`,
    'deliveries, dead or refused': `${tag}/delivery?status=dead,refused`,
    'deliveries by HTTP status': `${tag}/delivery?httpStatus=503`,
    'stats of an hour': `${tag}/stats`,
    'stats of a day, by script': `${tag}/stats?from=${dayAgo}&step=hour&series=script`,
    'stats of a team': `/v1/stats?from=${dayAgo}&step=hour`,
    'funnel of a day': `${tag}/funnel?from=${dayAgo}`,
    'funnel of an hour': `${tag}/funnel`,
    channels: `${tag}/channel`,
    intake: `${tag}/intake`,
    'one event': `${tag}/event/seeded-0`,
  }
  for (const [what, path] of Object.entries(paths)) {
    const all: Measured[] = []
    for (let n = 0; n < rounds; n++) all.push(await measure(pool, path, headers))
    const [ms, heldMs] = [median(all.map((each) => each.ms)), median(all.map((each) => each.heldMs))]
    const most = Math.max(...all.map((each) => each.ms))
    console.log(
      `${what} | p50 ${ms.toFixed(1)} ms | most ${most.toFixed(1)} ms | main thread held ${heldMs.toFixed(1)} ms`,
    )
  }
  await pool.close()
} finally {
  await stopAglet(aglet)
  rmSync(data, { recursive: true, force: true })
}
