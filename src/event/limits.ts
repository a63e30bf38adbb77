import type { Issue } from '#contract/schema.ts'

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

const depthOfNobody = 1_000

/**
 * Whether a text is nested as no event is. A mebibyte of brackets takes twenty times as long to parse as a mebibyte of
 * events; looking for them takes a quarter of what parsing events does.
 */
export function isBomb(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ']' || char === '}') depth--
    else if ((char === '[' || char === '{') && ++depth > depthOfNobody) return true
  }
  return false
}

/** Where the string that begins at `from` ends; the end of the text when it does not. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text[at - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}
