import type { ProviderSelection } from '#contract/event.ts'
import { providerIds } from '#contract/providerIds.ts'

/** A map of switches: `all`, names, and below a name the names of its scripts. Senders may put anything in it. */
export type Switches = ProviderSelection | null | undefined

const known: ReadonlySet<string> = new Set([...providerIds, 'all'])

const entryOf = (switches: object, name: string): unknown =>
  Object.hasOwn(switches, name) ? (switches as Record<string, unknown>)[name] : undefined

const isMap = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null && !Array.isArray(entry)

/**
 * Whether a map of switches lets a name through. No map restricts nothing; in a map, what is not named follows `all`,
 * and without `all` is off. Only `true` is on: what a sender got wrong never opens anything.
 */
export function isSelected(switches: Switches, name: string, scriptName?: string): boolean {
  if (switches === undefined || switches === null) return true
  if (Array.isArray(switches)) return switches.includes(name) || switches.includes('all')
  const entry = entryOf(switches, name)
  const decided = isMap(entry) ? (scriptName === undefined ? undefined : entryOf(entry, scriptName)) : entry
  return decided === undefined ? entryOf(switches, 'all') === true : decided === true
}

/** The names in a selection that are neither one of the 91 provider ids nor `all`. */
export function unknownNames(selection: Switches): string[] {
  if (selection === undefined || selection === null) return []
  const names = Array.isArray(selection) ? selection : Object.keys(selection)
  return names.filter((name) => !known.has(name))
}
