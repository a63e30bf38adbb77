import type { SourceName } from '#contract/sourceNames.ts'
import type { ImportDeps } from '../channels.ts'
import { addNote, type ImportDraft, newElement, note, noteOn } from '../importDraft.ts'
import { ImportError, type ImportedElement, type ImportOptions, type ImportResult } from '../importResult.ts'
import { parseExport } from '../json.ts'
import { toResult } from '../report.ts'
import { createTriggerReader, type TriggerReader } from './conditions.ts'
import { type GtmContainer, type GtmElement, type GtmTemplate, readContainer } from './container.ts'
import { draftOfTag } from './serverTags.ts'
import { specOfTemplate } from './templates.ts'
import { addTransformations } from './transformations.ts'
import { createResolver, type Resolver } from './variables.ts'
import { draftsOfWebTag } from './webTags.ts'

/** Tag templates without a channel, because Aglet does the same itself. */
const templatesWithoutChannel: ReadonlySet<string> = new Set([
  'data client',
  'data tag',
  'unique event id',
  'universal conversions variable',
])

const elementsOf = (kind: string, list: Iterable<{ id: string; name: string }>) =>
  [...list].map(({ id, name }) => newElement(kind, id, name))

/** Notes variables. Constants and event data are resolved where they are used. */
function noteVariables(container: GtmContainer, resolver: Resolver): ImportedElement[] {
  return [...container.variables.values()].map((variable) => {
    const element = newElement('variable', variable.id, variable.name)
    const wasUsed = resolver.used.has(variable.name)
    if (container.usage === 'web') {
      const key =
        variable.type === 'v'
          ? ` It reads ${variable.parameters.texts.get('name')?.slice(0, 100)} of the data layer.`
          : ''
      noteOn(element, 'mapped', `Stays in the page.${key}`, 'PAGE_ONLY')
      return element
    }
    const found = resolver.resolve(`{{${variable.name}}}`)
    if (found.kind === 'unknown')
      addNote(element, wasUsed ? { ...found.note, status: 'notMapped' } : note('mapped', 'No moved element uses it.'))
    else if (found.kind === 'field') noteOn(element, 'mapped', `It is ${found.path}.`)
    return element
  })
}

function noteTriggers(container: GtmContainer, read: TriggerReader): ImportedElement[] {
  const used = new Set(container.tags.flatMap((tag) => [...tag.firing, ...tag.blocking]))
  return [...container.triggers.values()].map((trigger) => {
    const element = newElement('trigger', trigger.id, trigger.name)
    if (container.usage === 'web') noteOn(element, 'mapped', 'Stays in the page.', 'PAGE_ONLY')
    else if (!used.has(trigger.id)) noteOn(element, 'mapped', 'No tag uses it.')
    else {
      const route = read(trigger.id)
      if ('problem' in route) addNote(element, route.problem)
    }
    return element
  })
}

function noteTemplates({ templates, tags, clients, variables }: GtmContainer): ImportedElement[] {
  const used = new Set([...tags, ...clients, ...variables.values()].map(({ type }) => type))
  return templates.map((template: GtmTemplate) => {
    const element = newElement('template', template.id, template.name)
    const spec = specOfTemplate(template)
    if (spec) noteOn(element, 'mapped', `Its tags become channels of ${spec.providerId}.`)
    else if (!template.types.some((type) => used.has(type))) noteOn(element, 'mapped', 'Nothing uses it.')
    else if (!templatesWithoutChannel.has(template.displayName))
      noteOn(element, 'notMapped', 'Its code was not moved.', 'UNKNOWN_TEMPLATE')
    return element
  })
}

/** The clients of a server container as sources of the tag, and the changes in the page. */
function readClients({ clients, templates }: GtmContainer) {
  const sources = new Set<SourceName>()
  const steps: string[] = []
  const elements = clients.map((client: GtmElement) => {
    const element = newElement('client', client.id, client.name)
    const template = templates.find(({ types }) => types.includes(client.type))
    const name = template?.displayName ?? client.type
    if (name === 'gaaw_client' || name === 'mpaw_client') {
      sources.add('ga4')
      steps.push(
        'In the page, set server_container_url of the Google tag to the tag URL. The source ga4 accepts its events.',
      )
      noteOn(element, 'mapped', 'The source ga4 of the tag.')
    } else if (name.includes('snowplow')) {
      sources.add('snowplow')
      noteOn(element, 'mapped', 'The source snowplow of the tag.')
    } else if (name === 'gtm_client') {
      noteOn(
        element,
        'needsDecision',
        'The page must load gtm.js from Google again, not from the tag URL.',
        'PAGE_ONLY',
      )
    } else if (name === 'data client') {
      steps.push('In the page, replace the Data Tag with the SDK, because no source accepts its events.')
      noteOn(element, 'needsDecision', 'Events of the Data Client come from the SDK.', 'PAGE_ONLY')
    } else noteOn(element, 'notMapped', 'No source accepts the requests of this client.', 'UNKNOWN_TEMPLATE')
    return element
  })
  return { elements, steps: [...new Set(steps)], sources: [...sources] }
}

const otherElements = ({ others, builtIns }: GtmContainer) => [
  ...others.map(({ kind, id, name }) => newElement(kind, id, name)),
  ...[...builtIns].map(([name, type]) => newElement('built-in variable', type, name)),
]

type Read = { elements: ImportedElement[]; drafts: ImportDraft[]; steps: string[]; sources: SourceName[] }

function readServer(container: GtmContainer, { catalogue }: ImportDeps): Read {
  const resolver = createResolver(container)
  const readTrigger = createTriggerReader(container, resolver)
  const tags = elementsOf('tag', container.tags)
  const drafts = container.tags.flatMap((tag, at) => {
    const draft = draftOfTag(tag, tags[at]!, { container, resolver, readTrigger, catalogue })
    return draft ? [{ tag, draft }] : []
  })
  const transformations = addTransformations(container, drafts, resolver)
  const clients = readClients(container)
  return {
    elements: [
      ...tags,
      ...noteTriggers(container, readTrigger),
      ...noteVariables(container, resolver),
      ...clients.elements,
      ...transformations,
      ...noteTemplates(container),
      ...otherElements(container),
    ],
    drafts: drafts.map(({ draft }) => draft),
    steps: clients.steps,
    sources: clients.sources,
  }
}

const listed = (names: Iterable<string>) =>
  [...new Set(names)]
    .filter(Boolean)
    .slice(0, 200)
    .map((name) => name.slice(0, 100))
    .join(', ')

function readWeb(container: GtmContainer): Read {
  const resolver = createResolver(container)
  const tags = elementsOf('tag', container.tags)
  const drafts = container.tags.flatMap((tag, at) => draftsOfWebTag(tag, tags[at]!, container, resolver))
  const custom = [...container.triggers.values()].filter(({ type }) => type === 'customevent')
  const events = listed(
    custom.flatMap(({ conditions }) =>
      conditions.filter(({ left }) => left === '{{_event}}').map(({ right }) => right),
    ),
  )
  const keys = listed(
    [...container.variables.values()].flatMap(({ type, parameters }) =>
      type === 'v' ? (parameters.texts.get('name') ?? '') : [],
    ),
  )
  return {
    elements: [
      ...tags,
      ...noteTriggers(container, () => ({})),
      ...noteVariables(container, resolver),
      ...noteTemplates(container),
      ...otherElements(container),
    ],
    drafts,
    steps: [
      ...(events ? [`Events of the data layer that the page sends: ${events}`] : []),
      ...(keys ? [`Keys of the data layer that it reads: ${keys}`] : []),
    ],
    sources: [],
  }
}

/** The containers of one site: the server container, the web container, or both. */
type GtmFiles = { server?: Uint8Array | string; web?: Uint8Array | string }

function readFiles(files: GtmFiles): GtmContainer[] {
  const found = [files.server, files.web].flatMap((file) =>
    file === undefined ? [] : [readContainer(parseExport(file))],
  )
  if (found.filter(({ usage }) => usage === 'server').length > 1)
    throw new ImportError('Both files are server containers. Choose one of them and the container of the page.')
  if (found.length > 1 && found.every(({ usage }) => usage === 'web'))
    throw new ImportError('Both files are web containers. Choose the server container first.')
  return found
}

/** A container export as configuration, secrets and report. Throws ImportError for any other file. */
export function importGtm(files: GtmFiles, options: ImportOptions, deps: ImportDeps): ImportResult {
  const containers = readFiles(files)
  const parts = containers.map((each) => (each.usage === 'server' ? readServer(each, deps) : readWeb(each)))
  const hasServer = containers.some(({ usage }) => usage === 'server')
  const draftsOf = (wanted: GtmContainer['usage']) =>
    parts.flatMap(({ drafts }, at) => (containers[at]!.usage === wanted ? drafts : []))
  const ofServer = draftsOf('server')
  const vendors = new Set(ofServer.map(({ providerId }) => providerId))
  // Pixels of the page are only offered for vendors without a server tag.
  const ofPage = draftsOf('web').filter(({ providerId }) => !vendors.has(providerId))
  return toResult(
    {
      product: `Google Tag Manager, ${containers.map(({ publicId, usage }) => `${publicId} (${usage})`).join(' and ')}`,
      drafts: [...ofServer, ...ofPage],
      elements: parts.flatMap((part) => part.elements),
      steps: [
        ...(hasServer
          ? []
          : ['The file is the container of a page. Also export the server container, if you have one.']),
        ...parts.flatMap((part) => part.steps),
      ],
      sources: [...new Set(parts.flatMap((part) => part.sources))],
    },
    options,
    deps,
  )
}
