import { isRecord } from '#contract/isRecord.ts'
import { ImportError } from '../importResult.ts'
import {
  type JsonObject,
  listOf,
  member,
  objectOf,
  objectsOf,
  otherKind,
  refuseTooMany,
  textAt,
  textOf,
} from '../json.ts'

/** The parameters of an element: texts, and tables as rows of texts. */
type GtmParameters = {
  texts: ReadonlyMap<string, string>
  tables: ReadonlyMap<string, readonly ReadonlyMap<string, string>[]>
  repeated: readonly string[]
}
export type GtmCondition = { type: string; left: string; right: string; isNegated: boolean; anyCase: boolean }
export type GtmElement = { id: string; name: string; type: string; parameters: GtmParameters }
export type GtmTag = GtmElement & {
  firing: readonly string[]
  blocking: readonly string[]
  isPaused: boolean
  /** The consent types that the tag needs; undefined if the container does not say. */
  consentTypes: readonly string[] | undefined
  isScheduled: boolean
  /** The tags that run before and after this tag. */
  sequence: readonly string[]
}
export type GtmTrigger = GtmElement & { conditions: readonly GtmCondition[] }
export type GtmTemplate = {
  id: string
  name: string
  /** The types of elements that use this template. */
  types: readonly string[]
  /** `owner/repository` in lower case; empty for a template that was copied. */
  repository: string
  galleryId: string
  displayName: string
  parameterNames: ReadonlySet<string>
}
export type GtmContainer = {
  publicId: string
  usage: 'server' | 'web'
  tags: readonly GtmTag[]
  triggers: ReadonlyMap<string, GtmTrigger>
  variables: ReadonlyMap<string, GtmElement>
  clients: readonly GtmElement[]
  transformations: readonly GtmElement[]
  templates: readonly GtmTemplate[]
  /** Names of built-in variables and their types. */
  builtIns: ReadonlyMap<string, string>
  /** Elements that only order or extend the container: folders, zones, the settings of Google tags. */
  others: readonly { kind: string; id: string; name: string }[]
}

/** `CUSTOM_EVENT` of the interface and `customEvent` of the API become the same word. */
const wordOf = (value: unknown): string => textOf(value).replaceAll('_', '').toLowerCase()

const textsOf = (list: unknown): Map<string, string> =>
  new Map(objectsOf(list).map((each) => [textAt(each, 'key'), textAt(each, 'value')]))

function readParameters(list: unknown): GtmParameters {
  const parameters = objectsOf(list)
  const names = parameters.map((each) => textAt(each, 'key'))
  const tables = parameters.flatMap((each): [string, Map<string, string>[]][] => {
    const rows = objectsOf(member(each, 'list'))
    return rows.length === 0 ? [] : [[textAt(each, 'key'), rows.map(rowOf)]]
  })
  const seen = new Set<string>()
  const repeated = names.filter((name) => name !== '' && seen.size === seen.add(name).size)
  return { texts: textsOf(list), tables: new Map(tables), repeated: [...new Set(repeated)] }
}

/** A row of a table; in a list of texts, each text is the `value` of its row. */
const rowOf = (row: JsonObject): Map<string, string> =>
  Array.isArray(member(row, 'map')) ? textsOf(row.map) : new Map([['value', textAt(row, 'value')]])

function readElement(each: JsonObject, idName: string): GtmElement {
  return {
    id: textAt(each, idName),
    name: textAt(each, 'name'),
    type: textAt(each, 'type'),
    parameters: readParameters(member(each, 'parameter')),
  }
}

function readCondition(each: JsonObject): GtmCondition {
  const texts = textsOf(member(each, 'parameter'))
  return {
    type: wordOf(member(each, 'type')),
    left: texts.get('arg0') ?? '',
    right: texts.get('arg1') ?? '',
    isNegated: texts.get('negate') === 'true',
    anyCase: texts.get('ignore_case') === 'true',
  }
}

const readTrigger = (each: JsonObject): GtmTrigger => ({
  ...readElement(each, 'triggerId'),
  type: wordOf(member(each, 'type')),
  conditions: ['customEventFilter', 'filter', 'autoEventFilter'].flatMap((list) =>
    objectsOf(member(each, list)).map(readCondition),
  ),
})

function readTag(each: JsonObject): GtmTag {
  const consent = objectOf(member(each, 'consentSettings'))
  const types = objectsOf(member(objectOf(member(consent, 'consentType')), 'list')).map((type) => textAt(type, 'value'))
  const status = wordOf(member(consent, 'consentStatus'))
  const others = [...objectsOf(member(each, 'setupTag')), ...objectsOf(member(each, 'teardownTag'))]
  return {
    ...readElement(each, 'tagId'),
    firing: listOf(member(each, 'firingTriggerId')).map(textOf),
    blocking: listOf(member(each, 'blockingTriggerId')).map(textOf),
    isPaused: member(each, 'paused') === true || textAt(each, 'paused') === 'true',
    consentTypes: status === 'needed' ? types : undefined,
    isScheduled: textAt(each, 'scheduleStartMs') !== '' || textAt(each, 'scheduleEndMs') !== '',
    sequence: others.map((other) => textAt(other, 'tagName')),
  }
}

/** A JSON section of a template's text, such as `___INFO___`. The template's code is not read. */
function sectionOf(text: string, name: string): unknown {
  const start = text.indexOf(`___${name}___`)
  if (start < 0) return undefined
  const from = start + name.length + 6
  const end = text.indexOf('\n___', from)
  try {
    return JSON.parse(text.slice(from, end < 0 ? undefined : end))
  } catch {
    return undefined
  }
}

/** The names of parameters, including those in groups. */
function parameterNamesOf(parameters: unknown, depth = 0): string[] {
  if (depth > 10) return []
  return objectsOf(parameters).flatMap((each) => [
    textAt(each, 'name'),
    ...parameterNamesOf(member(each, 'subParams'), depth + 1),
    ...objectsOf(member(each, 'radioItems')).flatMap((item) => parameterNamesOf(member(item, 'subParams'), depth + 1)),
  ])
}

function readTemplate(each: JsonObject): GtmTemplate {
  const gallery = objectOf(member(each, 'galleryReference'))
  const text = textAt(each, 'templateData')
  const [containerId, templateId, galleryId] = [
    textAt(each, 'containerId'),
    textAt(each, 'templateId'),
    textAt(gallery, 'galleryTemplateId'),
  ]
  const repository = [textAt(gallery, 'owner'), textAt(gallery, 'repository')].join('/').toLowerCase()
  return {
    id: templateId,
    name: textAt(each, 'name'),
    types: [`cvt_${containerId}_${templateId}`, ...(galleryId ? [`cvt_${galleryId}`] : [])],
    repository: repository === '/' ? '' : repository,
    galleryId,
    displayName: textAt(sectionOf(text, 'INFO'), 'displayName').toLowerCase(),
    parameterNames: new Set(parameterNamesOf(sectionOf(text, 'TEMPLATE_PARAMETERS'))),
  }
}

const otherKinds = { folder: 'folderId', zone: 'zoneId', gtagConfig: 'gtagConfigId' } as const

function usageOf(version: JsonObject): 'server' | 'web' {
  const usages = listOf(member(member(version, 'container'), 'usageContext')).map(wordOf)
  if (usages.includes('server')) return 'server'
  if (usages.includes('web')) return 'web'
  throw new ImportError(
    `This is a container for ${usages.join(', ').slice(0, 60) || 'an unknown platform'}; server and web containers can be imported.`,
  )
}

/** Reads a container export, or a container version from the API. Throws ImportError for any other file. */
export function readContainer(file: JsonObject): GtmContainer {
  const version = member(file, 'containerVersion') ?? file
  if (!isRecord(version) || !isRecord(member(version, 'container')))
    throw new ImportError(`The file is not a container export: it has no containerVersion. ${otherKind(file, 'gtm')}`)
  const usage = usageOf(version)
  const lists = [
    'tag',
    'trigger',
    'variable',
    'client',
    'transformation',
    'customTemplate',
    'builtInVariable',
    ...Object.keys(otherKinds),
  ]
  for (const name of lists) refuseTooMany(`elements in the list ${name}`, listOf(member(version, name)).length)
  const all = (name: string) => objectsOf(member(version, name))
  return {
    publicId: textAt(member(version, 'container'), 'publicId'),
    usage,
    tags: all('tag').map(readTag),
    triggers: new Map(all('trigger').map((each) => [textAt(each, 'triggerId'), readTrigger(each)])),
    variables: new Map(all('variable').map((each) => [textAt(each, 'name'), readElement(each, 'variableId')])),
    clients: all('client').map((each) => readElement(each, 'clientId')),
    transformations: all('transformation').map((each) => readElement(each, 'transformationId')),
    templates: all('customTemplate').map(readTemplate),
    builtIns: new Map(all('builtInVariable').map((each) => [textAt(each, 'name'), wordOf(member(each, 'type'))])),
    others: Object.entries(otherKinds).flatMap(([kind, idName]) =>
      all(kind).map((each) => ({ kind, id: textAt(each, idName), name: textAt(each, 'name') })),
    ),
  }
}
