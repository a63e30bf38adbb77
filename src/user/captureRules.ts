import type { TagEvent } from '#contract/event.ts'

/** A query parameter or cookie of the page that a provider captures. A cookie name may contain one `*`: `_ga_*`. */
export type CaptureSource = { query?: string; cookie?: string }

/** The capture sources of all providers, compiled so that one pass over an event finds all of them. */
export type CaptureRules = {
  queries: ReadonlySet<string>
  names: ReadonlySet<string>
  patterns: readonly { before: string; after: string }[]
}

/** The maximum length of a captured value. Click ids have a few hundred characters. */
const maxValueLength = 2_000
/** Bounds the values of one event, because a `*` matches any number of names. */
const maxValues = 50

export function compileCaptureRules(sources: Iterable<CaptureSource>): CaptureRules {
  const queries = new Set<string>()
  const cookies = new Set<string>()
  for (const { query, cookie } of sources) {
    if (query) queries.add(query)
    if (cookie) cookies.add(cookie)
  }
  const patterns = [...cookies]
    .filter((cookie) => cookie.includes('*'))
    .map((cookie) => cookie.split('*', 2) as [string, string])
    .map(([before, after]) => ({ before, after }))
  return { queries, names: new Set([...queries, ...cookies]), patterns }
}

/** Rules without captures, for callers that only need the keys of an event. */
export const noCaptureRules = compileCaptureRules([])

/** True if a value can be a click id or a cookie. */
export const isCaptureValue = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= maxValueLength

/** True if a rule captures values of this name. */
export const isCaptured = ({ names, patterns }: CaptureRules, name: string): boolean =>
  names.has(name) ||
  patterns.some(
    ({ before, after }) =>
      name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
  )

/**
 * The captured values of an event: from `storage.data.<package>.<key>`, and click ids from the query of the page. Names
 * without a rule are ignored.
 */
export function readCaptured(event: TagEvent, captures: CaptureRules): Record<string, string> {
  const found: Record<string, string> = {}
  let room = maxValues
  const take = (name: string, value: unknown) => {
    if (!isCaptureValue(value) || room === 0) return
    if (!Object.hasOwn(found, name)) room--
    found[name] = value
  }
  for (const query of [queryOf(event.pageUrl), queryOf(event.search)])
    for (const [name, value] of query) if (captures.queries.has(name)) take(name, value)
  for (const packageData of valuesOf(event.storage?.data))
    for (const [name, value] of entriesOf(packageData)) if (isCaptured(captures, name)) take(name, value)
  return found
}

const none = new URLSearchParams()

/** The query parameters of `?a=1` or `https://shop.example/?a=1#top`. */
function queryOf(text: unknown): URLSearchParams {
  const start = typeof text === 'string' ? text.indexOf('?') : -1
  if (start === -1) return none
  const [query] = (text as string).slice(start + 1).split('#', 1)
  return new URLSearchParams(query)
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const valuesOf = (value: unknown): unknown[] => entriesOf(value).map(([, each]) => each)
