import type { FastifyInstance } from 'fastify'
import { fault } from '#contract/fault.ts'
import { hostName } from '#kit/hostName.ts'

/**
 * `/ask?domain=`: whether this server serves a host name. A proxy that gets certificates on demand asks before each
 * one, so that strangers cannot make it get certificates for their names.
 */
export function tlsDomainCheckRoute(app: FastifyInstance, isKnownHost: (host: string) => boolean): void {
  app.get('/ask', async ({ query }) => {
    const { domain } = query as { domain?: unknown }
    if (typeof domain !== 'string' || !isKnownHost(hostName(domain))) throw fault('notFound')
    return { domain }
  })
}
