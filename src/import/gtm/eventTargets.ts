import { gaEventName } from '#contract/productEvents.ts'
import type { ProviderFacts } from '../channels.ts'
import { eventOfVendor, simplified } from '../eventOfVendor.ts'
import { note } from '../importDraft.ts'
import type { Note } from '../importResult.ts'
import type { GtmTag } from './container.ts'
import type { GtmTagSpec } from './templates.ts'
import type { Resolver } from './variables.ts'

/** Which event of the vendor a tag sends for an event; undefined for the vendor's own name of it. */
type EventTarget = { sameName: true } | { byName: ReadonlyMap<string, string> } | { always: string } | { problem: Note }

/** True if the provider sends an event under this name of the vendor anyway. */
const isOwnName = (name: string, vendorName: string, { events = {} }: ProviderFacts) =>
  Object.hasOwn(events, name) && simplified(events[name]!) === simplified(vendorName)

/** The parameter in which a tag names the vendor's event, by its modes. */
function eventText({ parameters: { texts } }: GtmTag, { event }: GtmTagSpec): string {
  const modes = event?.modes.map((mode) => texts.get(mode) ?? '') ?? []
  if (!event || modes.includes('inherit')) return ''
  if (modes.includes('custom')) return texts.get(event.custom ?? '') ?? ''
  return texts.get(event.standard ?? '') || (event.standard ? '' : (texts.get(event.custom ?? '') ?? ''))
}

export function eventTargetOf(tag: GtmTag, spec: GtmTagSpec, resolver: Resolver): EventTarget {
  const text = eventText(tag, spec)
  if (text === '') return { sameName: true }
  const resolved = resolver.resolve(text)
  if (resolved.kind === 'eventName') return { sameName: true }
  if (resolved.kind === 'constant') return resolved.value === 'custom' ? { sameName: true } : { always: resolved.value }
  if (resolved.kind === 'lookup' && resolved.input.kind === 'eventName' && resolved.otherwise === undefined)
    return { byName: new Map([...resolved.rows].map(([name, target]) => [gaEventName(name), target])) }
  const why =
    resolved.kind === 'unknown'
      ? resolved.note
      : note('needsDecision', 'The name of the event is computed for each event.', 'DYNAMIC_VALUE')
  return { problem: why }
}

/** The name for a channel of each event that a tag gets. */
export function renamesOf(names: readonly string[], target: EventTarget, facts: ProviderFacts): Map<string, string> {
  const vendorName = (name: string) =>
    'always' in target ? target.always : 'byName' in target ? target.byName.get(name) : undefined
  return new Map(
    names.flatMap((name): [string, string][] => {
      const wanted = vendorName(name)
      if (wanted === undefined || isOwnName(name, wanted, facts)) return []
      const own = eventOfVendor(wanted, facts)
      return own === name ? [] : [[name, own]]
    }),
  )
}
