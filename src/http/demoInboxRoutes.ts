import { fault } from '#contract/fault.ts'
import type { PlainApp } from './plainRoute.ts'

const maxMessages = 100

/** Parses JSON; returns other bodies as text. */
function parseBody(body: unknown): unknown {
  const text = Buffer.isBuffer(body) ? body.toString() : ''
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * A built-in destination for the first events. It keeps the last 100 bodies of each inbox in memory. An inbox is
 * readable by anyone who knows its name, which is hard to guess. For loopback only.
 */
export function demoInboxRoutes(app: PlainApp, names: readonly string[], now: () => number): void {
  const inboxes = new Map(names.map((name) => [name, [] as { receivedAt: number; body: unknown }[]]))
  const requireInbox = (params: unknown) => {
    const inbox = inboxes.get((params as { name: string }).name)
    if (!inbox) throw fault('notFound')
    return inbox
  }
  app.post('/demo/inbox/:name', async ({ params, body }) => {
    const inbox = requireInbox(params)
    inbox.push({ receivedAt: now(), body: parseBody(body) })
    if (inbox.length > maxMessages) inbox.shift()
    return {}
  })
  app.get('/demo/inbox/:name', async ({ params }) => ({ received: requireInbox(params) }))
}
