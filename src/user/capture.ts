import type { TagEvent } from '#contract/event.ts'

/** What a provider wants captured in the page: a parameter of its query, a cookie. A cookie may hold one `*`: `_ga_*`. */
export type Capture = { query?: string; cookie?: string }

/** The captures of all providers, put so that an event is asked once for all of them. */
export type Captures = {
  queries: ReadonlySet<string>
  names: ReadonlySet<string>
  patterns: readonly { before: string; after: string }[]
}

/** Click ids are long, but not longer than this. */
const longest = 2_000
/** A `*` must not make room for as many values as somebody cares to send. */
const most = 50

export function compileCaptures(wanted: Iterable<Capture>): Captures {
  const queries = new Set<string>()
  const cookies = new Set<string>()
  for (const { query, cookie } of wanted) {
    if (query) queries.add(query)
    if (cookie) cookies.add(cookie)
  }
  const patterns = [...cookies]
    .filter((cookie) => cookie.includes('*'))
    .map((cookie) => cookie.split('*', 2) as [string, string])
    .map(([before, after]) => ({ before, after }))
  return { queries, names: new Set([...queries, ...cookies]), patterns }
}

/** For who asks an event only for its keys. */
export const noCaptures = compileCaptures([])

/** Whether it can be a click id or a cookie. */
export const isCapture = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest

/** Whether a value of this name is wanted. */
export const isCaptured = ({ names, patterns }: Captures, name: string): boolean =>
  names.has(name) ||
  patterns.some(
    ({ before, after }) =>
      name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after),
  )

/**
 * What an event brings along of what is captured: `storage.data.<package>.<key>`, and click ids in the query of the page.
 * Names that nobody asked for stay where they are.
 */
export function capturedIn(event: TagEvent, captures: Captures): Record<string, string> {
  const found: Record<string, string> = {}
  let room = most
  const take = (name: string, value: unknown) => {
    if (!isCapture(value) || room === 0) return
    if (!Object.hasOwn(found, name)) room--
    found[name] = value
  }
  for (const query of [queryOf(event.pageUrl), queryOf(event.search)])
    for (const [name, value] of query) if (captures.queries.has(name)) take(name, value)
  for (const kept of valuesOf(event.storage?.data))
    for (const [name, value] of entriesOf(kept)) if (isCaptured(captures, name)) take(name, value)
  return found
}

const none = new URLSearchParams()

/** The parameters of `?a=1` or `https://shop.example/?a=1#top`. */
function queryOf(text: unknown): URLSearchParams {
  const start = typeof text === 'string' ? text.indexOf('?') : -1
  if (start === -1) return none
  const [query] = (text as string).slice(start + 1).split('#', 1)
  return new URLSearchParams(query)
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []
const valuesOf = (value: unknown): unknown[] => entriesOf(value).map(([, each]) => each)
