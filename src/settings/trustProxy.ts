import ipaddr from 'ipaddr.js'
import { allDefined, splitList } from './settingSpec.ts'

/** CDNs whose headers can contain a visitor's location. */
const cdnNames = ['cloudflare', 'cloudfront'] as const
export type Cdn = (typeof cdnNames)[number]
/** CIDR ranges of proxies whose X-Forwarded-For is trusted, and the CDN whose location headers are trusted. */
export type TrustProxy = { readonly ranges: readonly string[]; readonly cdn?: Cdn }

/** Returns a range unchanged, and a single address as its range. */
function parseRange(value: string): string | undefined {
  if (ipaddr.isValidCIDR(value)) return value
  if (!ipaddr.isValid(value)) return undefined
  return `${value}/${ipaddr.parse(value).kind() === 'ipv4' ? 32 : 128}`
}

/** `173.245.48.0/20,cloudflare`: at most one CDN, and only together with the ranges that may send its headers. */
export function parseTrustProxy(value: string): TrustProxy | undefined {
  const entries = splitList(value)
  const named = cdnNames.filter((cdn) => entries.includes(cdn))
  const ranges = allDefined(entries.filter((entry) => !cdnNames.some((cdn) => cdn === entry)).map(parseRange))
  if (!ranges || ranges.length === 0 || named.length > 1) return undefined
  return { ranges, ...(named[0] && { cdn: named[0] }) }
}
