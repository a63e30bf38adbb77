import type { Snapshot } from '#store/snapshot.ts'

type PageOwner = Pick<Snapshot, 'domain' | 'hosts' | 'allowedOrigins'>

/** A host name without its port, and without `www.`. */
const bareHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^(?:www|\*)\./, '')

const hostOfOrigin = (origin: string) => bareHost(origin.slice(origin.indexOf('//') + 2))

/** The part of an address before its path, such as `https://shop.example`. */
function originOf(address: string): string | undefined {
  const start = address.indexOf('//')
  if (start < 0) return undefined
  const end = address.slice(start + 2).search(/[/?#]/)
  return end < 0 ? address : address.slice(0, start + 2 + end)
}

function isOwn(origin: string, { domain, hosts, allowedOrigins }: PageOwner): boolean {
  const host = hostOfOrigin(origin)
  const own = [
    domain,
    ...hosts,
    ...allowedOrigins.map((each) => each.slice(each.indexOf('//') < 0 ? 0 : each.indexOf('//') + 2)),
  ]
  return own.map(bareHost).some((each) => each !== '' && (host === each || host.endsWith(`.${each}`)))
}

/** Bounds the cache, because strangers choose the addresses of pages. */
const maxKnown = 1_000
const known = new WeakMap<PageOwner, Map<string, boolean>>()

/** Whether a page is on none of the domains of the tag: `localhost`, a preview, or the checkout of the platform. */
export function isForeignPage(address: string, tag: PageOwner): boolean {
  const origin = originOf(address)
  if (origin === undefined) return false
  const ofTag = known.get(tag) ?? new Map<string, boolean>()
  known.set(tag, ofTag)
  const isKnown = ofTag.get(origin)
  if (isKnown !== undefined) return isKnown
  const isForeign = !isOwn(origin, tag)
  if (ofTag.size < maxKnown) ofTag.set(origin, isForeign)
  return isForeign
}
