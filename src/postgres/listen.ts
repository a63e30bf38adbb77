import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Pool } from './pool.ts'

export type Listener = { close(): Promise<void> }

/** `connected` is called after each connection: notifications before it may be lost. */
export type ListenCallbacks = { notified(payload: string): void; connected(): void }

const reconnectMs = 200

/** Listens on a dedicated connection, and reconnects when it breaks. */
export function listen(pool: Pool, channel: string, { notified, connected }: ListenCallbacks): Listener {
  const closing = new AbortController()
  const ended = keepListening(closing.signal)

  async function listenOnce(signal: AbortSignal): Promise<void> {
    let client: pg.Client | undefined
    try {
      client = await pool.watched(pool.connectAlone)
      if (signal.aborted) return // closed while it was connecting
      const broken = new Promise<void>((resolve) => {
        client!.on('error', () => resolve())
        client!.on('end', resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      client.on('notification', ({ payload = '' }) => notified(payload))
      await client.query(`LISTEN "${channel}"`)
      connected()
      await broken
    } finally {
      await client?.end().catch(() => {})
    }
  }
  async function keepListening(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await listenOnce(signal).catch(() => pool.searchPrimary())
      if (!signal.aborted) await wait(reconnectMs, undefined, { signal }).catch(() => {})
    }
  }
  return {
    close() {
      closing.abort()
      return ended
    },
  }
}
