import type { Filter } from '#contract/rule/channelRules.ts'
import type { ImportDeps } from './channels.ts'
import { noteDestination } from './consentPurpose.ts'
import { rudderStackDestinations, settingValues, specNamed } from './destinations.ts'
import { namedEvents, not } from './filter.ts'
import { type ImportDraft, newDraft, newElement, note, noteOn } from './importDraft.ts'
import { ImportError, type ImportedElement, type ImportOptions, type ImportResult } from './importResult.ts'
import {
  type JsonObject,
  listOf,
  member,
  objectOf,
  objectsOf,
  otherKind,
  parseExport,
  refuseTooMany,
  textAt,
} from './json.ts'
import { toResult } from './report.ts'
import { segmentName } from './segment/eventNames.ts'

const isOn = (value: JsonObject) => member(value, 'enabled') !== false && member(value, 'deleted') !== true

/** Events that ignore a destination's event filter, which only applies to track calls. */
const notTracked = ['PageView', 'ScreenView', 'Group']

/** The events of a destination: listed events and all calls that are not track, or all except listed events. */
function filterOf(config: JsonObject): Filter {
  const option = textAt(config, 'eventFilteringOption')
  const names = objectsOf(member(config, option)).map((each) => segmentName(textAt(each, 'eventName').trim()))
  const events = names.filter(Boolean)
  if (option === 'whitelistedEvents') return namedEvents([...new Set([...events, ...notTracked])])
  return option === 'blacklistedEvents' && events.length > 0 ? not(namedEvents([...new Set(events)])) : {}
}

/** The names that a destination gives to events, from its definition's tables. */
function renamesOf(config: JsonObject): Map<string, string> {
  const rows = ['eventMappingFromConfig', 'eventsToStandard'].flatMap((name) => objectsOf(member(config, name)))
  const pairs = rows.map((row) => [segmentName(textAt(row, 'from')), textAt(row, 'to')] as const)
  return new Map(pairs.filter(([from, to]) => from !== '' && to !== ''))
}

/** The consent purposes of a destination, in the newer and the older formats. */
function purposesOf(config: JsonObject): string[] {
  const managed = objectsOf(member(config, 'consentManagement')).flatMap((each) => objectsOf(member(each, 'consents')))
  const older = [
    ...objectsOf(member(config, 'oneTrustCookieCategories')),
    ...objectsOf(member(config, 'ketchConsentPurposes')),
  ]
  return [
    ...managed.map((each) => textAt(each, 'consent')),
    ...older.map((each) => textAt(each, 'oneTrustCookieCategory') || textAt(each, 'purpose')),
  ].filter(Boolean)
}

const warehouses: ReadonlySet<string> = new Set([
  'BQ',
  'SNOWFLAKE',
  'RS',
  'POSTGRES',
  'CLICKHOUSE',
  'S3_DATALAKE',
  'MSSQL',
  'AZURE_SYNAPSE',
  'DELTALAKE',
  'GCS_DATALAKE',
  'AZURE_DATALAKE',
  'S3',
  'GCS',
  'AZURE_BLOB',
  'MINIO',
])

function draftOf(
  destination: JsonObject,
  element: ImportedElement,
  { catalogue }: ImportDeps,
): ImportDraft | undefined {
  const definition = textAt(member(destination, 'destinationDefinition'), 'name')
  const spec = specNamed(rudderStackDestinations, definition)
  if (!spec) {
    const isStore = warehouses.has(definition)
    noteOn(
      element,
      'notMapped',
      isStore ? `${definition} stores events, which no channel does.` : `No channel is known for ${definition}.`,
      'UNKNOWN_TEMPLATE',
    )
    return undefined
  }
  const config = objectOf(member(destination, 'config'))
  const hasCode = listOf(member(destination, 'transformations')).length > 0
  if (hasCode)
    noteOn(
      element,
      'needsDecision',
      'A transformation changes its events, so the channel is a comment in the file.',
      'CUSTOM_CODE',
    )
  const isProcessed = member(destination, 'isProcessorEnabled') !== false
  const isActive = isOn(destination) && isProcessed && !hasCode
  if (!isActive && !hasCode) noteOn(element, 'mapped', 'It was switched off, so the channel is a comment in the file.')
  const consent = noteDestination(element, purposesOf(config), catalogue.get(spec.providerId) ?? {})
  const filter = filterOf(config)
  return newDraft({
    providerId: spec.providerId,
    name: textAt(destination, 'name'),
    elements: [element],
    values: settingValues(spec, config),
    ...consent,
    routes: [Object.keys(filter).length > 0 ? { filter } : {}],
    rename: renamesOf(config),
    isActive,
  })
}

/** The destinations of all sources by id; a destination with several sources appears once. */
function destinationsOf(sources: readonly JsonObject[]): Map<string, JsonObject> {
  const all = sources.flatMap((source) =>
    objectsOf(member(source, 'destinations')).map((each) => [isOn(source), each] as const),
  )
  refuseTooMany('destinations', all.length)
  return new Map(
    all.map(([isFed, each], at) => [textAt(each, 'id') || `#${at}`, isFed ? each : { ...each, enabled: false }]),
  )
}

/** A RudderStack workspace (`workspaceConfig.json`) as configuration. Throws ImportError for any other file. */
export function importRudderStack(file: Uint8Array | string, options: ImportOptions, deps: ImportDeps): ImportResult {
  const workspace = parseExport(file)
  const sources = objectsOf(member(workspace, 'sources'))
  if (sources.length === 0)
    throw new ImportError(
      `The file is not a RudderStack workspace: it has no sources. ${otherKind(workspace, 'rudderstack')}`,
    )
  refuseTooMany('sources', sources.length)
  const noKey = note('mapped', 'Its SDK sends to the tag URL, where the write key is not used.')
  const sourceElements = sources.map((each) => newElement('source', textAt(each, 'id'), textAt(each, 'name'), noKey))
  const destinations = [...destinationsOf(sources)].map(([id, each]) => ({
    each,
    element: newElement('destination', id, textAt(each, 'name')),
  }))
  const drafts = destinations.flatMap(({ each, element }) => draftOf(each, element, deps) ?? [])
  const isCode = note('notMapped', 'The code of transformations is not moved.', 'CUSTOM_CODE')
  const libraries = objectsOf(member(workspace, 'libraries')).map((each) =>
    newElement('library', textAt(each, 'versionId'), textAt(each, 'name'), isCode),
  )
  const steps = [
    'In the SDK, set dataPlaneUrl to the tag URL, and the write key to the token of the tag.',
    ...(sources.length > 1
      ? [
          'The file has several sources, but one tag here gets all destinations. Import each site as its own tag, or filter by source.',
        ]
      : []),
  ]
  const elements = [...sourceElements, ...destinations.map(({ element }) => element), ...libraries]
  return toResult({ product: 'RudderStack', drafts, elements, steps, sources: ['segment'] }, options, deps)
}
