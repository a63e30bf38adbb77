/**
 * A team at its limits, in a separate process: `abuse.ts <what> <events a second> <customer as JSON>`. It runs until it is
 * asked to end, and writes its results as a line of JSON.
 */
import { Agent, type Dispatcher, Pool, request } from 'undici'
import { type Customer, call } from '../test/fake/aglet.ts'
import { fifty, type MakeAsk, single } from './load.ts'

/** The activity of a team until the signal, and its results. */
type Abuse = (of: Customer, signal: AbortSignal) => Promise<Record<string, unknown>>

/** Sends at a constant rate whatever the answers are, and counts the answers by status. */
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

/** Opens the maximum of streams, and sends enough events to keep them busy. */
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

/** Requests sums and searches, twenty at a time. A refused request is repeated after a tenth of a second. */
const queries: Abuse = async (of, signal) => {
  const week = 7 * 86_400_000
  const statuses: Record<number, number> = {}
  const paths = [`/stats?from=${Date.now() - week}&step=hour`, '/delivery?status=delivered&eventName=nothing']
  const one = async (path: string) => {
    while (!signal.aborted) {
      const { status } = await call(of, 'GET', `/tag/${of.tagId}${path}`)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, n) => one(paths[n % 2]!)))
  return { statuses }
}

const [what = '', rate = '0', customer = '{}'] = process.argv.slice(2)
const perSecond = Number(rate)
const abuses: Readonly<Record<string, Abuse>> = {
  singles: flood(perSecond, single),
  lists: flood(perSecond / 50, fifty),
  streams,
  queries,
}
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
process.stdout.write(`${JSON.stringify(await abuses[what]!(JSON.parse(customer) as Customer, stop.signal))}\n`)
process.exit(0)
