/** Where two values differ. `at`: the path, with `*` for each row of a list. */
export type Difference = { at: string; is: 'theirs only' | 'ours only' | 'another type' | 'another value' }

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

const memberAt = (path: string, owner: object, name: string) =>
  `${path}${path && '.'}${Array.isArray(owner) ? '*' : name}`

function* differencesIn(theirs: unknown, ours: unknown, at: string): Generator<Difference> {
  if (theirs === undefined && ours === undefined) return
  if (ours === undefined) return yield { at, is: 'theirs only' }
  if (theirs === undefined) return yield { at, is: 'ours only' }
  if (typeOf(theirs) !== typeOf(ours)) return yield { at, is: 'another type' }
  if (!isNested(theirs) || !isNested(ours)) {
    if (theirs !== ours) yield { at, is: 'another value' }
    return
  }
  for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const member = (of: object) => (of as Record<string, unknown>)[name]
    yield* differencesIn(member(theirs), member(ours), memberAt(at, theirs, name))
  }
}

/** All differences, each once even if several rows of a list have it. */
export function differences(theirs: unknown, ours: unknown): Difference[] {
  const found = new Map<string, Difference>()
  for (const each of differencesIn(theirs, ours, '')) found.set(`${each.at}: ${each.is}`, each)
  return [...found.values()]
}
