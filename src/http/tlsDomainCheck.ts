import { fault } from '#contract/fault.ts'
import { hostName, isPlainHost } from '#kit/hostName.ts'
import type { PlainApp } from './plainRoute.ts'

/** The longest name in DNS. */
const maxNameLength = 253

/** The name that is asked for; undefined if no certificate can have it. Only of ASCII: the lower case of some other letters is a known name. */
function askedName(domain: unknown): string | undefined {
  if (typeof domain !== 'string' || /[^!-~]/.test(domain)) return undefined
  const name = hostName(domain)
  return name.length <= maxNameLength && isPlainHost(name) ? name : undefined
}

/**
 * `/ask?domain=`: whether this server serves a host name. A proxy that gets certificates on demand asks before each
 * one, so that strangers cannot make it get certificates for their names.
 */
export function tlsDomainCheckRoute(app: PlainApp, isKnownHost: (host: string) => boolean): void {
  app.get('/ask', async ({ query }) => {
    const { domain } = query as { domain?: unknown }
    const name = askedName(domain)
    if (name === undefined || !isKnownHost(name)) throw fault('notFound')
    return { domain }
  })
}
