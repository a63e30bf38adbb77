import type { Issue } from '#contract/schema.ts'
import { exceededBound } from '#kit/json.ts'

/** The limits of the edge. `eventBytes` also bounds every string. */
export const eventLimits = {
  bodyBytes: 1024 * 1024,
  eventBytes: 64 * 1024,
  events: 500,
  depth: 32,
  keys: 5_000,
} as const

/** The issues of an event that is too deep or has too many keys. It runs before all other recursion into the event. */
export function limitIssues(event: unknown): Issue[] {
  const keys = countKeys(event, eventLimits.depth)
  if (keys <= eventLimits.keys) return []
  if (keys === Number.POSITIVE_INFINITY) return [tooDeepIssue]
  return [{ path: '', message: `holds ${keys} keys; an event may have ${eventLimits.keys}` }]
}

export const tooDeepIssue: Issue = { path: '', message: `is nested deeper than ${eventLimits.depth} levels` }

/** The number of keys in a value at all depths; infinity where it is deeper than `levels`. */
function countKeys(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (levels === 0) return Number.POSITIVE_INFINITY
  let keys = 0
  if (Array.isArray(value)) for (const each of value) keys += countKeys(each, levels - 1)
  else for (const key in value) keys += 1 + countKeys((value as Record<string, unknown>)[key], levels - 1)
  return keys
}

const bombLimits = { levels: 1_000, values: Number.POSITIVE_INFINITY }

/** Whether a JSON text is nested far deeper than any event. The scan takes a quarter of the time of parsing. */
export const isNestingBomb = (text: string): boolean => exceededBound(text, bombLimits) !== undefined
