import type { FastifyInstance } from 'fastify'
import { fault } from '#contract/fault.ts'
import { hostName } from '#kit/hostName.ts'

/**
 * `/ask?domain=`: whether a host name is one of ours. A proxy that fetches certificates when they are first needed asks it
 * before each, or anybody could make it fetch them for names of his own.
 */
export function askRoute(app: FastifyInstance, isOurs: (host: string) => boolean): void {
  app.get('/ask', async ({ query }) => {
    const { domain } = query as { domain?: unknown }
    if (typeof domain !== 'string' || !isOurs(hostName(domain))) throw fault('notFound')
    return { domain }
  })
}
