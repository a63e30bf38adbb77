import type { Issue } from '#contract/schema.ts'

const labelPattern = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/** True for a name or address of the loopback interface, for development. */
export const isLoopbackName = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || /^127(\.\d{1,3}){3}$/.test(host)

/** True if the server can be reached only on this machine. */
export const isLoopbackServer = (name: string): boolean => isLoopbackName(name) || /^(::1|\[::1\])$/.test(name)

/** A host name in lower case: `example.com`, or a loopback name. No scheme, port, path or other address. */
export function parseDomain(text: string): { domain: string } | { issues: Issue[] } {
  const domain = text.toLowerCase()
  const labels = domain.split('.')
  const isName =
    labels.every((each) => labelPattern.test(each)) && labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? '')
  if (isName || isLoopbackName(domain)) return { domain }
  return { issues: [{ path: 'domain', message: 'is not a host name: write, for example, example.com or localhost' }] }
}

/**
 * Converts origins to the form that browsers send: `https://shop.example.com`, in lower case, without the default port.
 */
export function parseOrigins(texts: readonly string[]): { origins: string[] } | { issues: Issue[] } {
  const origins = texts.map((text) => (URL.canParse(text) ? new URL(text) : undefined))
  const issues = origins.flatMap((url, at) =>
    url && !url.username && !url.password && url.pathname === '/' && !url.search && !url.hash
      ? []
      : [{ path: `allowedOrigins.${at}`, message: 'is not an origin: write, for example, https://shop.example.com' }],
  )
  return issues.length > 0 ? { issues } : { origins: [...new Set(origins.map((url) => url!.origin))] }
}
