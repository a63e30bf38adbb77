import { gaEventName } from '#contract/productEvents.ts'
import type { ProviderCatalogue, ProviderFacts } from '../channels.ts'
import { eventOfVendor, simplified } from '../eventOfVendor.ts'
import { addNote, type ImportDraft, note, noteOn } from '../importDraft.ts'
import type { ImportCode, ImportedElement, Note } from '../importResult.ts'
import { routesOf, type TriggerReader } from './conditions.ts'
import type { GtmContainer, GtmTag, GtmTemplate } from './container.ts'
import { dataRulesOf } from './dataRules.ts'
import { type GtmTagSpec, specOfTemplate } from './templates.ts'
import type { Resolver } from './variables.ts'

/** The vendor event that a tag sends for an event; undefined for the vendor's usual name. */
type EventTarget = { sameName: true } | { byName: ReadonlyMap<string, string> } | { always: string } | { problem: Note }

/** Whether the provider already sends an event under this vendor name. */
const isOwnName = (name: string, vendorName: string, { events = {} }: ProviderFacts) =>
  Object.hasOwn(events, name) && simplified(events[name]!) === simplified(vendorName)

/** The parameter that names the vendor event, by the tag's mode. */
function eventText({ parameters: { texts } }: GtmTag, { event }: GtmTagSpec): string {
  const modes = event?.modes.map((mode) => texts.get(mode) ?? '') ?? []
  if (!event || modes.includes('inherit')) return ''
  if (modes.includes('custom')) return texts.get(event.custom ?? '') ?? ''
  return texts.get(event.standard ?? '') || (event.standard ? '' : (texts.get(event.custom ?? '') ?? ''))
}

function eventTargetOf(tag: GtmTag, spec: GtmTagSpec, resolver: Resolver): EventTarget {
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

/** The channel's name for each event of a tag. */
function renamesOf(names: readonly string[], target: EventTarget, facts: ProviderFacts): Map<string, string> {
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

/** Built-in tag types of the server container. */
const builtInTags: Readonly<Record<string, GtmTagSpec>> = {
  sgtmgaaw: {
    providerId: 'googleAnalytics4',
    fields: { measurementId: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID' },
    event: { modes: [], custom: 'eventName' },
  },
  sgtmadsct: { providerId: 'googleAdsClicks', fields: {} },
  sgtmfls: { providerId: 'floodlight', fields: { advertiserId: 'FLOODLIGHT_CONFIGURATION_ID' } },
  sgtmflc: { providerId: 'floodlight', fields: { advertiserId: 'FLOODLIGHT_CONFIGURATION_ID' } },
}

/** Built-in types that need no channel. */
const withoutChannel: Readonly<Record<string, readonly [text: string, code?: ImportCode]>> = {
  sgtmadscl: ['Nothing to do: the SDK captures click ids.'],
  sgtmawud: ['Nothing to do: channels read personal data from the event and the profile.'],
  sgtmadsremarket: ['Google Ads remarketing lists need the Google tag in the page.', 'NO_API'],
  ua: ['Universal Analytics has been discontinued.', 'ENDED_PRODUCT'],
}

/** Conversion parameters that a person must fill in: the tag's id is not the API's id. */
const labels: Readonly<Record<string, readonly string[]>> = {
  sgtmadsct: ['conversionId', 'conversionLabel'],
  sgtmfls: ['groupTag', 'activityTag'],
  sgtmflc: ['groupTag', 'activityTag'],
}

const specOf = ({ type }: GtmTag, template: GtmTemplate | undefined): GtmTagSpec | undefined => {
  if (Object.hasOwn(builtInTags, type)) return builtInTags[type]
  if (type.startsWith('sgtmfloodlight')) return builtInTags.sgtmfls
  return template && specOfTemplate(template)
}

/** Translates a parameter value by `choices`: a checked box is `true` in a container and `1` here. */
const variableValue = (name: string, value: string, { choices = {} }: GtmTagSpec): string => {
  const choice = Object.hasOwn(choices, name) ? choices[name]! : undefined
  return choice ? (choice[value] ?? '') : value
}

type TagDeps = { container: GtmContainer; resolver: Resolver; readTrigger: TriggerReader; catalogue: ProviderCatalogue }

function valuesOf(tag: GtmTag, spec: GtmTagSpec, { resolver }: TagDeps, notes: Note[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, variable] of Object.entries(spec.fields)) {
    const text = tag.parameters.texts.get(name) ?? ''
    const resolved = resolver.resolve(text)
    // A test code is often looked up by the debug mode.
    if (resolved.kind !== 'constant' && /_TEST_(?:EVENT_CODE|ID)$/.test(variable)) continue
    if (resolved.kind === 'constant') values[variable] = variableValue(name, resolved.value.trim(), spec)
    else
      notes.push(
        resolved.kind === 'unknown' && resolved.note.code !== 'DYNAMIC_VALUE'
          ? resolved.note
          : note(
              'needsDecision',
              `${name} is ${text.slice(0, 100)}, which is computed for each event; a channel has one value.`,
              'DYNAMIC_VALUE',
            ),
      )
  }
  return values
}

/** Accounts in a table, of a tag that sends to several accounts. */
function extraAccounts(tag: GtmTag): Note[] {
  const isSeveral = tag.parameters.texts.get('enableMultipixelSetup') === 'true'
  return isSeveral
    ? [note('needsDecision', 'The tag sends to several accounts. Copy the channel for each account.', 'DYNAMIC_VALUE')]
    : []
}

function consentOf(tag: GtmTag, categories: readonly string[]): { category?: string; note?: Note } {
  const types =
    tag.consentTypes ?? (tag.parameters.texts.get('adStorageConsent') === 'required' ? ['ad_storage'] : undefined)
  const usual = categories[0] ?? 'advertising'
  if (!types || types.length === 0)
    return {
      note: note('mapped', `The container requires no consent for this tag; the channel requires ${usual}.`, 'CONSENT'),
    }
  const wanted = types.some((type) => type.startsWith('ad_'))
    ? 'advertising'
    : types.includes('analytics_storage')
      ? 'analytics'
      : 'functional'
  if (categories.includes(wanted)) return { category: wanted }
  return {
    note: note(
      'needsDecision',
      `The tag requires ${types.join(', ').slice(0, 100)}; the channel requires ${usual}.`,
      'CONSENT',
    ),
  }
}

function tagNotes(tag: GtmTag): Note[] {
  const notes: Note[] = []
  if (tag.isScheduled)
    notes.push(note('needsDecision', 'The tag has a start or end date, which channels do not support.', 'SCHEDULE'))
  if (tag.sequence.length > 0)
    notes.push(
      note(
        'needsDecision',
        `The tag runs with ${tag.sequence.join(', ').slice(0, 200)}; channels do not run in an order.`,
        'SEQUENCE',
      ),
    )
  for (const key of tag.parameters.repeated)
    notes.push(note('mapped', `The parameter ${key.slice(0, 60)} occurs twice.`, 'REPEATED_KEY'))
  return notes
}

function labelNote(tag: GtmTag, names: readonly string[], resolver: Resolver): Note[] {
  const own = Object.hasOwn(labels, tag.type) ? labels[tag.type]! : []
  const clues = own.flatMap((name) => {
    const value = resolver.resolve(tag.parameters.texts.get(name) ?? '')
    return value.kind === 'constant' && value.value ? [`${name} ${value.value.slice(0, 60)}`] : []
  })
  return clues.length === 0
    ? []
    : [
        note(
          'needsValue',
          `${names.join(', ') || 'Its events'}: find the id of the conversion with ${clues.join(', ')}.`,
          'MISSING_VALUE',
        ),
      ]
}

function pairsOf(tag: GtmTag, { pairs }: GtmTagSpec, names: readonly string[], resolver: Resolver) {
  if (!pairs) return undefined
  const id = resolver.resolve(tag.parameters.texts.get(pairs.parameter) ?? '')
  const value = id.kind === 'constant' ? id.value.replace(/^urn:.*:/, '') : ''
  return { variable: pairs.variable, idOf: new Map(value ? names.map((name) => [name, value] as const) : []) }
}

function makeDraft(tag: GtmTag, spec: GtmTagSpec, element: ImportedElement, deps: TagDeps): ImportDraft {
  const { resolver, catalogue } = deps
  const facts = catalogue.get(spec.providerId) ?? {}
  const notes = [...tagNotes(tag), ...extraAccounts(tag)]
  const values = valuesOf(tag, spec, deps, notes)
  const { routes, problems, isWider } = routesOf(tag, deps.readTrigger)
  const names = [...new Set(routes.flatMap((route) => route.names ?? []))]
  const target = eventTargetOf(tag, spec, resolver)
  const isOpen = routes.some((route) => route.names === undefined)
  const isOff = isWider || routes.length === 0 || 'problem' in target || (isOpen && !('sameName' in target))
  if ('problem' in target) notes.push(target.problem)
  else if (isOpen && !('sameName' in target))
    notes.push(
      note(
        'needsDecision',
        'The tag gives one name to every matching event. Name the events.',
        'CONDITION_NOT_EXPRESSIBLE',
      ),
    )
  const { map, personMap, notes: dataNotes } = dataRulesOf(tag, resolver)
  const consent = consentOf(tag, facts.consentCategory ?? [])
  if (tag.firing.length === 0) notes.push(note('needsDecision', 'The tag has no trigger.', 'MISSING_REFERENCE'))
  addNote(
    element,
    ...notes,
    ...problems,
    ...dataNotes,
    ...labelNote(tag, names, resolver),
    ...(consent.note ? [consent.note] : []),
  )
  if (isOff || tag.isPaused)
    noteOn(
      element,
      isOff ? 'needsDecision' : 'mapped',
      `The channel is a comment in the file${tag.isPaused ? ': the tag is paused' : ''}.`,
    )
  const pairs = pairsOf(tag, spec, names, resolver)
  return {
    providerId: spec.providerId,
    elements: [element],
    values,
    ...(pairs && { pairs }),
    ...(consent.category !== undefined && { consentCategory: consent.category }),
    routes,
    rename: renamesOf(names, target, facts),
    map,
    personMap,
    isActive: !isOff && !tag.isPaused,
  }
}

/** The channel of a server tag; undefined if it needs none or has no equivalent. */
export function draftOfTag(tag: GtmTag, element: ImportedElement, deps: TagDeps): ImportDraft | undefined {
  if (Object.hasOwn(withoutChannel, tag.type)) {
    const [text, code] = withoutChannel[tag.type]!
    noteOn(element, code ? 'notMapped' : 'mapped', text, code)
    return undefined
  }
  const template = deps.container.templates.find(({ types }) => types.includes(tag.type))
  const spec = specOf(tag, template)
  if (!spec) {
    const isMissing = tag.type.startsWith('cvt_') && !template
    const text = isMissing
      ? 'The template of the tag is not in the file.'
      : `No channel is known for ${template?.name ?? `the type ${tag.type}`}.`
    noteOn(element, 'notMapped', text, isMissing ? 'MISSING_REFERENCE' : 'UNKNOWN_TEMPLATE')
    return undefined
  }
  const mode = tag.parameters.texts.get('type') ?? ''
  if (spec.sends && mode !== '' && !spec.sends.includes(mode)) {
    noteOn(
      element,
      'mapped',
      `Nothing to do for ${mode}: the SDK captures click ids, and user updates reach the channel by themselves.`,
    )
    return undefined
  }
  return makeDraft(tag, spec, element, deps)
}
