import type { Snapshot } from '#script/snapshot.ts'
import { isLoopbackName } from '#tag/domain.ts'

/** True if a page of this origin may call the tag. */
export type OriginTest = (origin: string) => boolean

type OriginList = Pick<Snapshot, 'domain' | 'allowedOrigins'>

/**
 * The origin tests of one environment, compiled once per snapshot because every request runs one. A tag's own list is
 * matched exactly. Without a list, these origins are allowed: the tag's domain and its subdomains over https, a
 * loopback domain also on every port over http, and in development the pages of this machine. `null`, the origin of
 * every sandboxed page, is never allowed.
 */
export function originTests(development: boolean): (tag: OriginList) => OriginTest {
  const tests = new WeakMap<OriginList, OriginTest>()
  return (tag) => {
    const known = tests.get(tag)
    if (known) return known
    const test = tag.allowedOrigins.length > 0 ? listTest(tag.allowedOrigins) : domainTest(tag.domain, development)
    tests.set(tag, test)
    return test
  }
}

function listTest(allowed: readonly string[]): OriginTest {
  const origins = new Set(allowed)
  origins.delete('null')
  return (origin) => origins.has(origin)
}

const localPage = /^https?:\/\/(([a-z0-9_-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/

function domainTest(domain: string, development: boolean): OriginTest {
  const pages = [new RegExp(`^https://([a-z0-9_-]+\\.)*${RegExp.escape(domain)}$`)]
  if (isLoopbackName(domain)) pages.push(new RegExp(`^https?://${RegExp.escape(domain)}(:\\d{1,5})?$`))
  if (development) pages.push(localPage)
  return (origin) => pages.some((page) => page.test(origin))
}
