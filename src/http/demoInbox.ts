import type { FastifyInstance } from 'fastify'
import { fault } from '#contract/fault.ts'

const kept = 100

/** As JSON where it is JSON, else as its text. */
function readBody(body: unknown): unknown {
  const text = Buffer.isBuffer(body) ? body.toString() : ''
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * A destination of Aglet's own, so that the first event has somewhere to arrive: it keeps the last hundred bodies of
 * each inbox in memory. `names` are hard to guess; whoever knows one may read it. For loopback only.
 */
export function demoInbox(app: FastifyInstance, names: readonly string[], now: () => number): void {
  const inboxes = new Map(names.map((name) => [name, [] as { receivedAt: number; body: unknown }[]]))
  const inboxOf = (params: unknown) => {
    const inbox = inboxes.get((params as { name: string }).name)
    if (!inbox) throw fault('notFound')
    return inbox
  }
  app.post('/demo/inbox/:name', async ({ params, body }) => {
    const inbox = inboxOf(params)
    inbox.push({ receivedAt: now(), body: readBody(body) })
    if (inbox.length > kept) inbox.shift()
    return {}
  })
  app.get('/demo/inbox/:name', async ({ params }) => ({ received: inboxOf(params) }))
}
