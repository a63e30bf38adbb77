import type { Extent } from './eventLimits.ts'

/** The maximum warnings about changed values per event. */
const maxWarnings = 5
/** The maximum length of a path in a warning, in UTF-16 units. */
const maxPathLength = 100

/**
 * The values of a body that no receiver gets as sent: half a surrogate pair, which UTF-8 cannot represent (RFC 3629
 * §3), and numbers that an IEEE 754 double cannot represent (RFC 8259 §6).
 */
export type ReplacedValues = {
  /** Replaces these values in an event. Returns a warning for each, at most 5; undefined if there are none. */
  replaceIn(event: object, extent: Extent): string[] | undefined
  /** True if an event was changed, so that the body must be serialised again. */
  areAny(): boolean
}

/**
 * `body`: the JSON before parsing, as text or as bytes; bytes are only decoded if a number needs it. `isEncoded`: the
 * events come from an encoded part of the request, such as base64, so that the body does not show their escapes.
 */
export function changedValues(body: string | Buffer, isEncoded = false): ReplacedValues {
  // A UTF-8 body can only have half a pair as an escape. Both searches skip to the next backslash at once.
  const mayHaveHalves = isEncoded || body.includes('\\ud') || body.includes('\\uD')
  let lossy: ReadonlySet<number> | undefined
  let isChanged = false
  return {
    areAny: () => isChanged,
    replaceIn(event, { hasLargeNumber }) {
      if (!mayHaveHalves && !hasLargeNumber) return undefined
      if (hasLargeNumber) lossy ??= lossyIntegers(body.toString())
      const found: Found = { warnings: [], isChanged: false, lossy: lossy ?? none }
      replaceMembers(event as Members, '', found)
      isChanged ||= found.isChanged
      return found.warnings.length > 0 ? found.warnings : undefined
    },
  }
}

type Members = Record<string, unknown>
type Found = { warnings: string[]; isChanged: boolean; lossy: ReadonlySet<number> }

const none: ReadonlySet<number> = new Set()

/** An integer of 16 digits or more, where a JSON value begins. */
const largeInteger = /[[:,]\s*(-?\d{16,})(?![\d.eE])/g

/** The integers of a JSON text that lose digits when parsed. */
function lossyIntegers(text: string): ReadonlySet<number> {
  const values = new Set<number>()
  for (const [, digits] of text.matchAll(largeInteger)) {
    const value = Number(digits)
    if (Number.isFinite(value) && BigInt(value).toString() !== digits) values.add(value)
  }
  return values
}

function replaceMembers(members: Members, path: string, found: Found): void {
  for (const name of Object.keys(members)) {
    const value = members[name]
    const valuePath = path ? `${path}.${name}` : name
    if (typeof value === 'object' && value !== null) replaceMembers(value as Members, valuePath, found)
    else members[name] = replaced(value, valuePath, found)
    if (!name.isWellFormed()) rename(members, name, valuePath, found)
  }
}

function replaced(value: unknown, path: string, found: Found): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) {
    found.isChanged = true
    warn(found, path, 'contains an unpaired surrogate, which is replaced by U+FFFD')
    return value.toWellFormed()
  }
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) {
    found.isChanged = true
    warn(found, path, 'is too large for a number, so it is passed on as null: send it as text')
    return null
  }
  if (found.lossy.has(value)) warn(found, path, 'is an integer above 2^53, so it loses digits: send it as text')
  return value
}

/** If a member already has the new name, the existing one wins. */
function rename(members: Members, name: string, path: string, found: Found): void {
  found.isChanged = true
  warn(found, path, 'has an unpaired surrogate in its name, which is replaced by U+FFFD')
  const value = members[name]
  delete members[name]
  const newName = name.toWellFormed()
  if (!Object.hasOwn(members, newName)) members[newName] = value
}

function warn({ warnings }: Found, path: string, what: string): void {
  if (warnings.length >= maxWarnings) return
  warnings.push(`${JSON.stringify(path.slice(0, maxPathLength).toWellFormed())} ${what}`)
}
