import { isRecord } from '#contract/isRecord.ts'
import type { Filter } from '#contract/rule/channelRules.ts'
import type { ImportDeps } from '../channels.ts'
import { noteDestination } from '../consentPurpose.ts'
import { segmentDestinations, settingValues, specNamed } from '../destinations.ts'
import { allOf } from '../filter.ts'
import { addNote, type ImportDraft, newDraft, newElement, note, noteOn, type Route } from '../importDraft.ts'
import {
  ImportError,
  type ImportedElement,
  type ImportOptions,
  type ImportResult,
  importLimits,
  type Note,
} from '../importResult.ts'
import { type JsonObject, member, objectOf, refuseTooMany, textAt } from '../json.ts'
import { toResult } from '../report.ts'
import { readFql } from './fql.ts'
import { readWorkspace, type SegmentResource, type SegmentWorkspace } from './workspace.ts'

/** Paths that every destination suggests by default: channels fill these fields automatically. */
const usual =
  /^\$\.(?:event|messageId|timestamp|receivedAt|userId|anonymousId|type|name|traits|properties|context)(?:\.|$)/

/** Whether a channel does this mapping automatically: a message path, or the first present one of several. */
function isUsual(mapping: unknown, depth = 0): boolean {
  if (depth > 10) return false
  if (!isRecord(mapping))
    return ['string', 'number', 'boolean'].includes(typeof mapping) || mapping === null || Array.isArray(mapping)
  const path = member(mapping, '@path')
  if (typeof path === 'string') return usual.test(path)
  const condition = member(mapping, '@if')
  if (isRecord(condition))
    return ['exists', 'blank', 'then', 'else'].every((name) => isUsual(member(condition, name) ?? null, depth + 1))
  if (Array.isArray(member(mapping, '@arrayPath'))) return true
  const names = Object.keys(mapping)
  return names.every((name) => !name.startsWith('@')) && names.every((name) => isUsual(mapping[name], depth + 1))
}

/** A note about subscription fields that use a template, a case or another function. */
function defaultMappingDifference(settings: unknown): Note | undefined {
  if (!isRecord(settings)) return undefined
  const fields = Object.keys(settings).filter((name) => !isUsual(settings[name]))
  const text = `Check these fields, which it fills in its own way: ${fields.join(', ').slice(0, 300)}.`
  return fields.length === 0 ? undefined : note('needsDecision', text, 'DYNAMIC_VALUE')
}

/** The event names of a filter without other conditions; undefined for any other filter. */
function namesOf(filter: Filter): string[] | undefined {
  const [[name, condition] = [], ...others] = Object.entries(filter)
  if (others.length > 0) return undefined
  if (name === 'eventName' && typeof condition === 'string') return [condition]
  if (name !== '$or' || !Array.isArray(condition)) return undefined
  const lists = condition.map((each) => (isRecord(each) ? namesOf(each as Filter) : undefined))
  return lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined
}

/** Destination slugs by Terraform's id. https://github.com/segmentio/segment-docs, catalog/destinations.yml */
const slugs: Readonly<Record<string, string>> = {
  '61806e472cd47ea1104885fc': 'actions-facebook-conversions-api',
  '615cae349d109d6b7496a131': 'tiktok-conversions',
  '60ae8b97dcb6cc52d5d0d5ab': 'actions-google-enhanced-conversions',
  '60ad61f9ff47a16b8fb7b5d9': 'actions-google-analytics-4',
  '63e42e512566ad7c7ca6ba9b': 'actions-pinterest-conversions-api',
  '6261a8b6cb4caa70e19116e8': 'actions-snap-conversions',
  '650bdf1a62fb34ef0a8058e1': 'actions-klaviyo',
  '652e765dbea0a2319209d193': 'actions-linkedin-conversions',
  '66cc766ef4b1c152177239a0': 'actions-reddit-conversions-api',
  '60f9d0d048950c356be2e4da': 'actions-braze-cloud',
  '5f7dd6d21ad74f3842b1fc47': 'actions-amplitude',
  '615c7438d93d9b61b1e9e192': 'actions-mixpanel',
  '632b1116e0cb83902f3fd717': 'actions-hubspot-cloud',
  '5f7dd78fe27ce7ff2b8bfa37': 'actions-customerio',
  '62ded0cf5753c743883ca0f3': 'actions-intercom-cloud',
  '645babd9362d97b777391325': 'actions-iterable',
  '614a3c7d791c91c41bae7599': 'actions-webhook',
  '66b1f528d26440823fb27af9': 'actions-webhook',
}

const slugOf = (destination: JsonObject): string => {
  const metadata = objectOf(member(destination, 'metadata'))
  const id = textAt(metadata, 'id')
  const slug = textAt(metadata, 'slug') || (Object.hasOwn(slugs, id) ? slugs[id]! : '')
  // The API uses both forms of this slug.
  return slug === 'reddit-conversions-api' ? 'actions-reddit-conversions-api' : slug
}

type Named = { resource: SegmentResource; element: ImportedElement }
const named = (kind: string, list: readonly SegmentResource[]): Named[] =>
  list.map((resource) => ({
    resource,
    element: newElement(kind, resource.id, textAt(resource.body, 'name') || resource.id),
  }))

/** The route of a subscription, if it gets events. */
function readSubscription({ resource: { body }, element }: Named): { route?: Route; isUnclear?: true } {
  const found = readFql(textAt(body, 'trigger'))
  if (member(body, 'reverse_etl_schedule') || member(body, 'reverseETLSchedule')) {
    noteOn(element, 'notMapped', 'It reads a warehouse on a schedule.', 'SCHEDULE')
    return {}
  }
  if (member(body, 'enabled') === false) {
    noteOn(element, 'mapped', 'It was switched off, so it was omitted.')
    return {}
  }
  if ('problem' in found) {
    const text = `${textAt(body, 'trigger').slice(0, 200)}: ${found.problem}.`
    noteOn(element, 'needsDecision', text, 'CONDITION_NOT_EXPRESSIBLE')
    return { isUnclear: true }
  }
  if ('none' in found) {
    noteOn(element, 'mapped', 'Updates of a user reach the channel by themselves.')
    return {}
  }
  const difference = defaultMappingDifference(member(body, 'settings'))
  if (difference) addNote(element, difference)
  const names = namesOf(found.filter)
  const isOpen = Object.keys(found.filter).length === 0
  return { route: names ? { names } : isOpen ? {} : { filter: found.filter } }
}

/** Destination filters. A filter that drops events becomes a condition; other actions become notes. */
function readFilters(filters: readonly Named[]): { barriers: Route['filter'][]; sample?: number; isWider: boolean } {
  const barriers: Route['filter'][] = []
  let sample: number | undefined
  let isWider = false
  for (const {
    resource: { body },
    element,
  } of filters) {
    if (member(body, 'enabled') === false) continue
    const actions = [member(body, 'actions')].flat().map(objectOf)
    const [first] = actions
    const condition = readFql(textAt(body, 'if'))
    const type = textAt(first, 'type')
    const isOpen = 'filter' in condition && Object.keys(condition.filter).length === 0
    if (actions.length === 1 && type === 'DROP' && 'filter' in condition && !isOpen)
      barriers.push({ $not: condition.filter })
    else if (actions.length === 1 && type === 'SAMPLE' && isOpen) sample = Number(textAt(first, 'percent'))
    else {
      isWider = true
      noteOn(
        element,
        'needsDecision',
        `${type || 'It'} has no equivalent for ${textAt(body, 'if').slice(0, 100) || 'all events'}.`,
        'CONDITION_NOT_EXPRESSIBLE',
      )
    }
  }
  return { barriers, isWider, ...(sample !== undefined && sample > 0 && sample < 1 && { sample }) }
}

type Parts = { subscriptions: readonly Named[]; filters: readonly Named[] }

function draftOf(
  { resource, element }: Named,
  { subscriptions, filters }: Parts,
  { catalogue }: ImportDeps,
): ImportDraft | undefined {
  const { body } = resource
  const slug = slugOf(body)
  const spec = specNamed(segmentDestinations, slug)
  for (const each of subscriptions) each.element.channels.push(...element.channels)
  if (!spec) {
    for (const each of [...subscriptions, ...filters])
      noteOn(each.element, 'notMapped', 'Its destination did not move.', 'UNKNOWN_TEMPLATE')
    noteOn(
      element,
      'notMapped',
      `No channel is known for ${slug || textAt(body, 'name') || 'this destination'}.`,
      'UNKNOWN_TEMPLATE',
    )
    return undefined
  }
  const read = subscriptions.map(readSubscription)
  const { barriers, sample, isWider } = readFilters(filters)
  const found = read.flatMap(({ route }) => (route ? [route] : []))
  const routes = found.map(({ names, filter = {} }): Route => {
    const all = allOf([filter, ...barriers.map((each) => each ?? {})])
    return { ...(names && { names }), ...(Object.keys(all).length > 0 && { filter: all }) }
  })
  const isOn = member(body, 'enabled') !== false
  // A classic destination has no subscriptions: it gets every event.
  const isClassic = subscriptions.length === 0
  const isActive = isOn && !isWider && (routes.length > 0 || isClassic)
  if (!isActive)
    noteOn(
      element,
      isOn ? 'needsDecision' : 'mapped',
      `The channel is a comment in the file${isOn ? '' : ': the destination was switched off'}.`,
    )
  noteDestination(element, [], catalogue.get(spec.providerId) ?? {})
  return newDraft({
    providerId: spec.providerId,
    name: textAt(body, 'name'),
    elements: [element, ...subscriptions.filter((_, at) => read[at]!.route).map((each) => each.element)],
    values: settingValues(spec, objectOf(member(body, 'settings'))),
    routes:
      isClassic && routes.length === 0
        ? [barriers.length > 0 ? { filter: allOf(barriers.map((each) => each ?? {})) } : {}]
        : routes,
    ...(sample !== undefined && { sample }),
    isActive,
  })
}

const otherNotes: Readonly<Record<string, ReturnType<typeof note>>> = {
  source: note('mapped', 'Its SDK sends to the tag URL.'),
  function: note(
    'needsDecision',
    'This is your own code. Move it to a webhook or a playground channel yourself.',
    'CUSTOM_CODE',
  ),
  'tracking plan': note('notMapped', 'Events are not checked against a tracking plan.'),
}

/** Whether another resource refers to a destination, by `id` or by resource name. */
const refersTo = (destination: SegmentResource) => (other: Named) => {
  const reference = textAt(other.resource.body, 'destination_id') || textAt(other.resource.body, 'destinationId')
  return reference === destination.id || reference === destination.ownId
}

function othersOf({ others, problems }: SegmentWorkspace): ImportedElement[] {
  const elements = others.map(({ kind, id, body, file }) => {
    const why = Object.hasOwn(otherNotes, kind)
      ? otherNotes[kind]!
      : note('notMapped', `${kind} of ${file} is not moved.`)
    return newElement(kind, id, textAt(body, 'name') || textAt(body, 'display_name') || id, why)
  })
  const unread = problems.map(({ file, line, message }) =>
    newElement('file', file, file, note('needsDecision', `Line ${line}: ${message}.`, 'CONDITION_NOT_EXPRESSIBLE')),
  )
  return [...elements, ...unread]
}

/** A Segment workspace: Terraform files, or answers of the Public API. Throws ImportError for other files. */
export function importSegment(
  files: ReadonlyMap<string, Uint8Array | string>,
  options: ImportOptions,
  deps: ImportDeps,
): ImportResult {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0)
  if (bytes > importLimits.bytes)
    throw new ImportError(`The files have ${Math.ceil(bytes / 1e6)} MB; the limit is ${importLimits.bytes / 1e6} MB.`)
  const workspace = readWorkspace(files)
  refuseTooMany(
    'resources',
    workspace.destinations.length + workspace.subscriptions.length + workspace.filters.length + workspace.others.length,
  )
  const destinations = named('destination', workspace.destinations)
  const subscriptions = named('subscription', workspace.subscriptions)
  const filters = named('filter', workspace.filters)
  const drafts = destinations.flatMap((each) => {
    const isOwn = refersTo(each.resource)
    return draftOf(each, { subscriptions: subscriptions.filter(isOwn), filters: filters.filter(isOwn) }, deps) ?? []
  })
  for (const each of [...subscriptions, ...filters])
    if (!destinations.some(({ resource }) => refersTo(resource)(each)))
      noteOn(each.element, 'notMapped', 'Its destination is not in the files.', 'MISSING_REFERENCE')
  const elements = [...destinations, ...subscriptions, ...filters].map(({ element }) => element)
  const steps = [
    'In the SDK, set the host of the API to the tag URL, and the write key to the token of the tag.',
    'The files do not contain server constants, such as tokens from a sign-in.',
  ]
  return toResult(
    { product: 'Segment', drafts, elements: [...elements, ...othersOf(workspace)], steps, sources: ['segment'] },
    options,
    deps,
  )
}
