import type { Snapshot } from '#script/snapshot.ts'
import { isLoopbackName } from '#tag/domain.ts'

/** Whether a page of this origin may call a tag. */
export type OriginTest = (origin: string) => boolean

type Listed = Pick<Snapshot, 'domain' | 'allowedOrigins'>

/**
 * The tests of one environment, each compiled once for a snapshot: every event asks. A tag's own list is taken as it
 * is. Without one: the tag's domain and its subdomains over https, a loopback domain also at every port over http,
 * and in development the pages of this machine. `null`, the origin of any sandboxed page, is on no list.
 */
export function originTests(development: boolean): (tag: Listed) => OriginTest {
  const tests = new WeakMap<Listed, OriginTest>()
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
