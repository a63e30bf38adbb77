import type { Issue } from '#contract/schema.ts'
import { beyond } from '#kit/json.ts'

/** What the door takes. No string can be longer than the event that holds it, so strings need no limit of their own. */
export const limits = {
  bodyBytes: 1024 * 1024,
  eventBytes: 64 * 1024,
  events: 500,
  depth: 32,
  keys: 5_000,
} as const

/** What is too much in an event. Whoever recurses into an event does so after this: the walk ends at the allowed depth. */
export function excess(event: unknown): Issue[] {
  const keys = countKeys(event, limits.depth)
  if (keys <= limits.keys) return []
  if (keys === Number.POSITIVE_INFINITY) return [tooDeep]
  return [{ path: '', message: `holds ${keys} keys, of ${limits.keys} that an event may have` }]
}

export const tooDeep: Issue = { path: '', message: `is nested deeper than ${limits.depth} levels` }

/** The keys in a value and all that is below it; infinitely many when it goes deeper than the levels that are left. */
function countKeys(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return Number.POSITIVE_INFINITY
  let keys = 0
  if (Array.isArray(value)) for (const each of value) keys += countKeys(each, levels - 1)
  else for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key], levels - 1)
  return keys
}

const ofNobody = { levels: 1_000, values: Number.POSITIVE_INFINITY }

/** Whether a text is nested as no event is. Looking for it takes a quarter of what parsing events does. */
export const isBomb = (text: string): boolean => beyond(text, ofNobody) !== undefined
