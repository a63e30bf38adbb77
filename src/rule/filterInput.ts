import type { TagEvent } from '#contract/event.ts'
import { type StandardKey, userFields } from '#contract/standardKeys.ts'

/** The input of a filter. `hasKey`: whether the person has this key, from the event or from the profile. */
export type FilterInput = {
  event: TagEvent
  place?: { country?: string | undefined; region?: string | undefined } | undefined
  hasKey?: ((key: StandardKey) => boolean) | undefined
  /** False if the person shares nothing: then all personal fields are absent. */
  sharesPii?: boolean
}

const keyOfField: ReadonlyMap<string, StandardKey> = new Map(userFields.map(([key, field]) => [field, key]))

const dataOf = ({ data }: TagEvent): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? data : {}

/** A personal field. Filters may only test its presence. */
function readPerson({ event, hasKey, sharesPii }: FilterInput, field: string): unknown {
  if (sharesPii === false) return undefined
  const own = Object.hasOwn(event, field)
    ? event[field]
    : Object.hasOwn(dataOf(event), field)
      ? dataOf(event)[field]
      : undefined
  if (own !== undefined && own !== null && own !== '') return own
  const key = keyOfField.get(field)
  return key !== undefined && hasKey?.(key) ? true : undefined
}

/** The value of a top-level field of a filter. */
export function readField(input: FilterInput, root: string): unknown {
  const { event } = input
  if (root === 'place') return input.place
  if (root === 'isTest') return event.isTest === true
  if (root.startsWith('user')) return readPerson(input, root)
  return Object.hasOwn(event, root) ? event[root] : undefined
}

type UrlParts = { host: string; path: string; query: Record<string, unknown> }
const noUrl: Partial<UrlParts> = {}

function parseUrl(text: string): Partial<UrlParts> {
  const url = URL.parse(text)
  if (!url) return noUrl
  const query: Record<string, unknown> = Object.create(null)
  for (const [name, value] of url.searchParams) {
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  return { host: url.hostname, path: url.pathname, query }
}

/** The last parsed URL: a tag's channels read the same URL one after the other. */
let last: { text: string; parts: Partial<UrlParts> } = { text: '', parts: noUrl }

/** A part of a URL: `host`, `path`, or `query`, the parameters by name. */
export function urlMember(text: unknown, name: string): unknown {
  if (typeof text !== 'string') return undefined
  if (last.text !== text) last = { text, parts: parseUrl(text) }
  return last.parts[name as keyof UrlParts]
}
