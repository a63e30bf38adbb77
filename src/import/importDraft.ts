import type { ProviderId } from '#contract/providerIds.ts'
import type { Filter, MapRule } from '#contract/rule/channelRules.ts'
import type { ImportCode, ImportedElement, ImportStatus, Note } from './importResult.ts'

/**
 * One way to reach a channel: the events with these names that also match the filter. Without names it accepts every
 * event; without a filter there is no other condition.
 */
export type Route = { names?: readonly string[]; filter?: Filter }

/** The channel that one tag, tool or destination needs. Drafts of one vendor and account become one channel. */
export type ImportDraft = {
  providerId: ProviderId
  /** The desired name of the channel; by default the vendor's name. */
  name?: string
  elements: ImportedElement[]
  /** Variables of the provider with their values. */
  values: Record<string, string>
  /** The provider's map from events to ids: its variable, and the pairs. */
  pairs?: { variable: string; idOf: Map<string, string> }
  consentCategory?: string
  routes: Route[]
  /** The name of an event as it arrives → its name in this channel. */
  rename: Map<string, string>
  map: MapRule[]
  /** Rules that fill a missing key of the person. They do not affect other events of the channel. */
  personMap: MapRule[]
  sample?: number
  isActive: boolean
}

export const note = (status: ImportStatus, text: string, code?: ImportCode): Note => ({
  status,
  text,
  ...(code && { code }),
})

const severity: Readonly<Record<ImportStatus, number>> = { mapped: 0, needsValue: 1, needsDecision: 2, notMapped: 3 }

/** Adds notes to an element without duplicates, and sets its status to the worst of its notes. */
export function addNote(element: ImportedElement, ...notes: readonly Note[]): void {
  for (const each of notes) {
    if (!element.notes.some(({ text }) => text === each.text)) element.notes.push(each)
    if (severity[each.status] > severity[element.status]) element.status = each.status
  }
}

/** Adds one note, as `addNote` does. */
export const noteOn = (element: ImportedElement, ...parts: Parameters<typeof note>): void =>
  addNote(element, note(...parts))

export function newElement(kind: string, id: string, name: string, ...notes: readonly Note[]): ImportedElement {
  const shown = name || id || '(without a name)'
  const element: ImportedElement = { kind, id, name: shown, status: 'mapped', notes: [], channels: [] }
  addNote(element, ...notes)
  return element
}

type DraftParts = Pick<ImportDraft, 'providerId' | 'elements' | 'values' | 'routes'> & Partial<ImportDraft>

/** A draft of an active channel; by default it renames and changes nothing. */
export const newDraft = (parts: DraftParts): ImportDraft => ({
  ...{ rename: new Map(), map: [], personMap: [], isActive: true },
  ...parts,
})
