import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** One event of the size a shop sends: 1 KB. */
export function shopEvent(eventId: string): Record<string, unknown> {
  return {
    eventName: 'Purchase',
    eventId,
    timestamp: Date.now(),
    pageUrl: 'https://shop.example.com/checkout/thank-you?utm_source=news&utm_medium=email&utm_campaign=autumn',
    pageTitle: 'Thank you for your order',
    referrer: 'https://shop.example.com/checkout/payment',
    search: '?utm_source=news&utm_medium=email&utm_campaign=autumn',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
    userEmail: 'jane.doe@example.com',
    providers: { all: true },
    storage: { service: { consent: { all: true } } },
    data: {
      value: 84.9,
      currency: 'EUR',
      orderId: 'A-1048812',
      contents: [
        {
          id: 'sku-40021',
          quantity: 1,
          item_price: 59.9,
          title: 'Rain jacket, blue',
          category: 'jackets',
          url: 'https://shop.example.com/p/40021',
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

/** CPU seconds that a process has used, all its threads together. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Resident memory of a process in MB. */
export const residentMb = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

export type Load = { url: string; connections: number; requests: number; body(n: number): string }

/** Sends so many requests over so many connections; throws unless each is answered 200. */
export async function load({ url, connections, requests, body }: Load): Promise<void> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections, pipelining: 1 })
  let next = 0
  const one = async () => {
    while (next < requests) {
      const answer = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body(next++),
      })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  await pool.close()
}

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!
