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

/** The result of one walk over a value. `hasLargeNumber`: a number that may have lost digits, or is infinite. */
export type Extent = { keys: number; isTooDeep: boolean; hasLargeNumber: boolean }

/** Walks over a value, at most `eventLimits.depth` levels deep. Must run before any other recursion into an event. */
export function extentOf(value: unknown): Extent {
  const extent: Extent = { keys: 0, isTooDeep: false, hasLargeNumber: false }
  extend(extent, value, eventLimits.depth)
  return extent
}

/** The issues of an event that is too deep or has too many keys; empty if it is neither. */
export function limitIssues({ keys, isTooDeep }: Extent): Issue[] {
  if (isTooDeep) return [tooDeepIssue]
  if (keys <= eventLimits.keys) return []
  return [{ path: '', message: `has ${keys} keys; the limit is ${eventLimits.keys}` }]
}

export const tooDeepIssue: Issue = { path: '', message: `is nested deeper than ${eventLimits.depth} levels` }

function extend(extent: Extent, value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) extent.hasLargeNumber = true
    return
  }
  if (levels === 0) {
    extent.isTooDeep = true
    return
  }
  if (Array.isArray(value)) for (const each of value) extend(extent, each, levels - 1)
  else
    for (const key in value) {
      extent.keys++
      extend(extent, (value as Record<string, unknown>)[key], levels - 1)
    }
}

const bombLimits = { levels: 1_000, values: Number.POSITIVE_INFINITY }

/** True if a JSON text is nested far deeper than any event. The scan takes a quarter of the time of parsing. */
export const isNestingBomb = (text: string): boolean => exceededBound(text, bombLimits) !== undefined
