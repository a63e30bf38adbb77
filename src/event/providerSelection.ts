import type { ProviderSelection } from '#contract/event.ts'
import { isRecord } from '#contract/isRecord.ts'
import { providerIds } from '#contract/providerIds.ts'

/** A map of switches: `all`, provider ids, and below an id the names of its scripts. Its values are not validated. */
export type ProviderSwitches = ProviderSelection | null | undefined

const known: ReadonlySet<string> = new Set([...providerIds, 'all'])

const entryOf = (switches: object, name: string): unknown =>
  Object.hasOwn(switches, name) ? (switches as Record<string, unknown>)[name] : undefined

/**
 * True if a map of switches selects a name. Without a map every name is selected. In a map, a name without an entry
 * follows `all`, and without `all` it is off. Only `true` is on, so that an invalid value never selects anything.
 */
export function isSelected(switches: ProviderSwitches, name: string, scriptName?: string): boolean {
  if (switches === undefined || switches === null) return true
  if (Array.isArray(switches)) return switches.includes(name) || switches.includes('all')
  const entry = entryOf(switches, name)
  const decision = isRecord(entry) ? (scriptName === undefined ? undefined : entryOf(entry, scriptName)) : entry
  return decision === undefined ? entryOf(switches, 'all') === true : decision === true
}

/** The names in a selection that are neither a provider id nor `all`. */
export function unknownProviderNames(selection: ProviderSwitches): string[] {
  if (selection === undefined || selection === null) return []
  const names = Array.isArray(selection) ? selection : Object.keys(selection)
  return names.filter((name) => !known.has(name))
}
