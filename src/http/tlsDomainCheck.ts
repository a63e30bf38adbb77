import { fault } from '#contract/fault.ts'
import { hostName, isPlainHost } from '#kit/hostName.ts'
import type { PlainApp } from './plainRoute.ts'

/** The maximum length of a DNS name. */
const maxNameLength = 253

/** The requested name; undefined if no certificate can have it. ASCII only: other letters may have an ASCII lower case. */
function askedName(domain: unknown): string | undefined {
  if (typeof domain !== 'string' || /[^!-~]/.test(domain)) return undefined
  const name = hostName(domain)
  return name.length <= maxNameLength && isPlainHost(name) ? name : undefined
}

/**
 * `/ask?domain=`: whether this server serves a host name. A proxy with on-demand certificates asks before requesting each
 * one, so that strangers cannot make it request certificates for their names.
 */
export function tlsDomainCheckRoute(app: PlainApp, isKnownHost: (host: string) => boolean): void {
  app.get('/ask', async ({ query }) => {
    const { domain } = query as { domain?: unknown }
    const name = askedName(domain)
    if (name === undefined || !isKnownHost(name)) throw fault('notFound')
    return { domain }
  })
}
