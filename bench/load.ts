import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

const names = ['Purchase', 'AddToCart', 'ViewContent', 'Search', 'Lead']
const browsers = ['Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7', 'X11; Linux x86_64']
let written = 0

/** One event of the typical size of a shop: 1 KB. Each has a different name, person, page, order and values. */
export function shopEvent(eventId: string): Record<string, unknown> {
  const n = written++
  const text = createHash('sha256').update(eventId).digest('hex')
  return {
    eventName: names[n % names.length],
    eventId,
    timestamp: Date.now(),
    pageUrl: `https://shop.example.com/checkout/thank-you?utm_source=news&utm_medium=email&utm_campaign=${text.slice(0, 8)}`,
    pageTitle: 'Thank you for your order',
    referrer: 'https://shop.example.com/checkout/payment',
    search: `?utm_source=news&utm_medium=email&utm_campaign=${text.slice(0, 8)}`,
    userAgent: `Mozilla/5.0 (${browsers[n % browsers.length]}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${120 + (n % 31)}.0.0.0 Safari/537.36`,
    userEmail: `jane.${text.slice(8, 14)}@example.com`,
    providers: { all: true },
    storage: { service: { consent: { all: true } } },
    data: {
      value: 20 + (n % 9_000) / 100,
      currency: 'EUR',
      orderId: `A-${text.slice(14, 22)}`,
      contents: [
        {
          id: `sku-${text.slice(22, 27)}`,
          quantity: 1,
          item_price: 59.9,
          title: 'Rain jacket, blue',
          category: 'jackets',
          url: `https://shop.example.com/p/${text.slice(22, 27)}`,
        },
        {
          id: 'sku-11873',
          quantity: 1,
          item_price: 25,
          title: 'Cap, grey',
          category: 'caps',
          url: 'https://shop.example.com/p/11873',
        },
      ],
    },
  }
}

const ticksPerSecond = 100 // Linux: USER_HZ

/** CPU seconds that a process has used in all its threads. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** KB that a process has written to the disks. */
export const writtenKb = (pid: number) =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0) / 1024

/** Resident memory of a process in MB. */
export const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** One request. `path` defaults to the target's own. */
export type Ask = { body: string; path?: string; headers?: Record<string, string> }
/** Builds the next request; `sentAtMs` (epoch ms) is when it is due, so that the vendor can report its delay. */
export type MakeAsk = (sentAtMs: number) => Ask

let made = 0
/** Event ids are unique across processes. */
export const eventIdAt = (sentAtMs: number) => `bench-${Math.round(sentAtMs)}-${process.pid}-${made++}`

export const single: MakeAsk = (sentAtMs) => ({ body: JSON.stringify(shopEvent(eventIdAt(sentAtMs))) })
export const fifty: MakeAsk = (sentAtMs) => ({
  body: JSON.stringify(Array.from({ length: 50 }, () => shopEvent(eventIdAt(sentAtMs)))),
})

async function send(pool: Pool, path: string, { body, headers, ...ask }: Ask): Promise<void> {
  const answer = await pool.request({
    path: ask.path ?? path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  await answer.body.dump()
  if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}`)
}

/** `while` is called before each request with the number sent so far. */
export type Load = { url: string; connections: number; ask: MakeAsk; while(sent: number): boolean }

/** Closed loop: sends as fast as the answers arrive. Returns the number of answered requests; throws if one fails. */
export async function load({ url, connections, ask, while: goesOn }: Load): Promise<number> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  let sent = 0
  const one = async () => {
    while (goesOn(sent)) {
      sent++
      await send(pool, pathname, ask(Date.now()))
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  await pool.close()
  return sent
}

export const times = (count: number) => (sent: number) => sent < count
export const forSeconds = (seconds: number) => {
  const end = performance.now() + seconds * 1_000
  return () => performance.now() < end
}

export type Rate = { url: string; perSecond: number; seconds: number; ask: MakeAsk }

/**
 * Open loop: sends each request when it is due, however late the answers are. Returns the latencies in ms since the due time,
 * so that a request that waits because of another's delay is counted with its whole wait.
 */
export async function loadAt({ url, perSecond, seconds, ask }: Rate): Promise<number[]> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: 256, pipelining: 1 })
  const total = Math.ceil(perSecond * seconds)
  const [begun, epochMs] = [performance.now(), Date.now()]
  const one = async (dueMs: number) => {
    await send(pool, pathname, ask(epochMs + dueMs))
    return performance.now() - begun - dueMs
  }
  const flights: Promise<number>[] = []
  while (flights.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perSecond) + 1)
    while (flights.length < due) flights.push(one((flights.length / perSecond) * 1_000))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const lateMs = await Promise.all(flights)
  await pool.close()
  return lateMs
}

export const median = (values: readonly number[]) => quantile(values, 0.5)
export const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
