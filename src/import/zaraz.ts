import { isRecord } from '#contract/isRecord.ts'
import { segmentEventOf } from '#contract/productEvents.ts'
import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { isPersonalPath } from '#contract/rule/rulePaths.ts'
import type { ImportDeps, ProviderFacts } from './channels.ts'
import { noteDestination } from './consentPurpose.ts'
import { type DestinationSpec, settingValues, specNamed, zarazComponents } from './destinations.ts'
import { eventOfVendor } from './eventOfVendor.ts'
import { allOf, anyCase, conditionOn, isLinearPattern, isPath, namedEvents, not } from './filter.ts'
import { addNote, type ImportDraft, newDraft, newElement, note, noteOn, type Route } from './importDraft.ts'
import { ImportError, type ImportedElement, type ImportOptions, type ImportResult, type Note } from './importResult.ts'
import {
  entriesOf,
  type JsonObject,
  listOf,
  member,
  objectOf,
  objectsOf,
  otherKind,
  parseExport,
  refuseTooMany,
  textAt,
  textOf,
} from './json.ts'
import { toResult } from './report.ts'

type Problem = { problem: Note }
const problem = (text: string): Problem => ({ problem: note('needsDecision', text, 'CONDITION_NOT_EXPRESSIBLE') })
const isProblem = (value: object): value is Problem => 'problem' in value

/** Zaraz expressions, and the fields here. */
const systemFields: Readonly<Record<string, string>> = {
  'system.page.url.href': 'pageUrl',
  'system.page.url.hostname': 'pageUrl.host',
  'system.page.url.host': 'pageUrl.host',
  'system.page.url.pathname': 'pageUrl.path',
  'system.page.referrer': 'referrer',
  'system.page.title': 'pageTitle',
  'system.device.location.country': 'place.country',
}

/** The field of an expression such as `{{ client.value }}`; `eventName` for the event name. */
function fieldOf(match: string): string | undefined {
  const [, path = ''] = /^\{\{\s*([\w.$-]{1,200})\s*\}\}$/.exec(match.trim()) ?? []
  if (path === 'client.__zarazTrack') return 'eventName'
  if (Object.hasOwn(systemFields, path)) return systemFields[path]
  const [, query] = /^system\.page\.(?:query|url\.searchParams)\.([\w-]{1,100})$/.exec(path) ?? []
  if (query !== undefined) return `pageUrl.query.${query}`
  const [, client] = /^client\.([\w.-]{1,200})$/.exec(path) ?? []
  return client !== undefined && isPath(client) ? `data.${client}` : undefined
}

const numbers: Readonly<Record<string, string>> = {
  GREATER_THAN: '$gt',
  GREATER_THAN_OR_EQUAL: '$gte',
  LESS_THAN: '$lt',
  LESS_THAN_OR_EQUAL: '$lte',
}

function operationOf(op: string, value: string): Condition | undefined {
  if (op === 'EQUALS') return ['true', 'false'].includes(value) ? { $in: [value === 'true', value] } : value
  if (op === 'EQUALS_IGNORE_CASE') return anyCase(value, 'equal')
  if (op === 'CONTAINS') return { $contains: value }
  if (op === 'STARTS_WITH') return { $startsWith: value }
  if (op === 'ENDS_WITH') return { $endsWith: value }
  if (op === 'MATCH_REGEX') return isLinearPattern(value) ? { $regex: value } : undefined
  const isNumber = Object.hasOwn(numbers, op) && /^-?\d{1,15}(?:\.\d{1,10})?$/.test(value)
  return isNumber ? { [numbers[op]!]: Number(value) } : undefined
}

const nameOf = (name: string) => segmentEventOf(name) ?? name

/** One match rule as a route. */
function readRule(rule: JsonObject): Route | Problem {
  const [match, op, value] = [textAt(rule, 'match'), textAt(rule, 'op'), textAt(rule, 'value')]
  if (match === '')
    return problem(`A rule waits for ${textAt(rule, 'action').slice(0, 40) || 'something'} in the page.`)
  const condition = `${match.slice(0, 80)} ${op.slice(0, 30)} ${value.slice(0, 80)}`
  const field = fieldOf(match)
  if (field === undefined) return problem(`${condition} reads a value that events do not have here.`)
  if (field === 'eventName' && op === 'EQUALS') return { names: [nameOf(value)] }
  if (isPersonalPath(field.split('.'))) return problem(`${condition} compares personal data.`)
  const isNegated = op === 'NOT_MATCH_REGEX'
  const operation = operationOf(isNegated ? 'MATCH_REGEX' : op, value)
  if (operation === undefined) return problem(`${condition} has no equivalent.`)
  const filter = conditionOn(field, operation)
  return { filter: isNegated ? not(filter) : filter }
}

const filterOf = ({ names, filter = {} }: Route): Filter => allOf([...(names ? [namedEvents(names)] : []), filter])

/** A trigger as a route: all of its match rules, and none of its exclude rules. */
function readTrigger(trigger: JsonObject): Route | Problem {
  const rules = objectsOf(member(trigger, 'loadRules')).map(readRule)
  const excluded = objectsOf(member(trigger, 'excludeRules')).map(readRule)
  const found = [...rules, ...excluded].find(isProblem)
  if (found) return found
  const isPage = textAt(trigger, 'system') === 'pageload'
  const routes = rules as Route[]
  const lists = [
    ...(isPage && routes.length === 0 ? [['PageView']] : []),
    ...routes.flatMap(({ names }) => (names ? [[...names]] : [])),
  ]
  const filter = allOf([
    ...routes.map((route) => route.filter ?? {}),
    ...(excluded as Route[]).map((route) => not(filterOf(route))),
  ])
  return {
    ...(lists.length > 0 && { names: lists.reduce((one, other) => one.filter((name) => other.includes(name))) }),
    ...(Object.keys(filter).length > 0 && { filter }),
  }
}

/** The events of `zaraz.ecommerce`, under the names with which they arrive. */
const commerce = [
  'ViewContent',
  'AddToCart',
  'RemoveFromCart',
  'ViewCart',
  'InitiateCheckout',
  'AddShippingInfo',
  'AddPaymentInfo',
  'Purchase',
  'Refund',
  'Search',
]

type Config = {
  triggers: ReadonlyMap<string, JsonObject>
  variables: ReadonlyMap<string, JsonObject>
  purposes: ReadonlyMap<string, JsonObject>
}

/** The actions of a tool, in the newer or the older format. */
const actionsOf = (tool: JsonObject): JsonObject[] => [
  ...entriesOf(member(tool, 'actions')).map(([, action]) => action),
  ...objectsOf(member(tool, 'neoEvents')),
]

/** The name that an action gives to its event, if it is a constant. */
function actionName(action: JsonObject): string {
  const data = objectOf(member(action, 'data'))
  const name = ['ev', 'name', 'event', 'event_name', 'eventName'].map((each) => textAt(data, each)).find(Boolean) ?? ''
  return name.includes('{{') ? '' : name
}

type ToolDeps = Pick<ImportDeps, 'catalogue'> & { config: Config; isCommerce: boolean }

/** The routes and event names of an action. */
function readAction(action: JsonObject, blocked: readonly string[], facts: ProviderFacts, { config }: ToolDeps) {
  const read = (id: string): Route | Problem => {
    const trigger = config.triggers.get(id)
    return trigger ? readTrigger(trigger) : problem(`The trigger ${id.slice(0, 60)} is not in the file.`)
  }
  const ids = (name: string) => listOf(member(action, name)).map(textOf)
  const firing = ids('firingTriggers').map(read)
  const blocking = [...blocked, ...ids('blockingTriggers')].map(read)
  const problems = [...firing, ...blocking].flatMap((each) => (isProblem(each) ? [each.problem] : []))
  const barriers = blocking.flatMap((each) => (isProblem(each) ? [] : [not(filterOf(each))]))
  const isPageView = textAt(action, 'actionType') === 'pageview'
  const routes = firing.flatMap((each): Route[] => {
    if (isProblem(each)) return []
    const filter = allOf([each.filter ?? {}, ...barriers])
    const names = isPageView ? ['PageView'] : each.names
    return [{ ...(names && { names }), ...(Object.keys(filter).length > 0 && { filter }) }]
  })
  const own = actionName(action)
  const target = own === '' ? undefined : eventOfVendor(own, facts)
  const names = routes.flatMap((route) => route.names ?? [])
  return {
    routes,
    problems,
    rename:
      target === undefined || isPageView
        ? []
        : names.filter((name) => name !== target).map((name) => [name, target] as const),
    isWider: blocking.some(isProblem) || (target !== undefined && !isPageView && routes.some((route) => !route.names)),
  }
}

function resolveVariable(text: string, { variables }: Config): string {
  const [, id] = /^\{\{\s*variables\.([\w-]{1,100})\s*\}\}$/.exec(text.trim()) ?? []
  if (id === undefined) return text.includes('{{') ? '' : text
  return textAt(variables.get(id), 'value')
}

function draftOf(tool: JsonObject, spec: DestinationSpec, element: ImportedElement, deps: ToolDeps): ImportDraft {
  const { config, catalogue, isCommerce } = deps
  const facts = catalogue.get(spec.providerId) ?? {}
  const settings = objectOf(member(tool, 'settings'))
  const blocked = listOf(member(tool, 'blockingTriggers')).map(textOf)
  const actions = actionsOf(tool).map((action) => readAction(action, blocked, facts, deps))
  const sendsCommerce = isCommerce && member(settings, 'ecommerce') === true
  const routes = [...actions.flatMap((action) => action.routes), ...(sendsCommerce ? [{ names: commerce }] : [])]
  const isOn = member(tool, 'enabled') !== false
  const isWider = actions.some((action) => action.isWider)
  const isActive = isOn && !isWider && routes.length > 0
  addNote(element, ...actions.flatMap((action) => action.problems))
  if (!isActive)
    noteOn(
      element,
      isOn ? 'needsDecision' : 'mapped',
      `The channel is a comment in the file${isOn ? '' : ': the tool is switched off'}.`,
    )
  const purpose = config.purposes.get(textAt(tool, 'defaultPurpose'))
  const name = member(purpose, 'name')
  const purposeName = isRecord(name) ? textOf(Object.values(name)[0]) : textOf(name)
  const consent = noteDestination(element, purposeName ? [purposeName] : [], facts)
  return newDraft({
    providerId: spec.providerId,
    name: textAt(tool, 'name'),
    elements: [element],
    values: settingValues(spec, settings, (text) => resolveVariable(text, config)),
    ...consent,
    routes,
    rename: new Map(actions.flatMap((action) => action.rename)),
    isActive,
  })
}

function readTool(tool: JsonObject, element: ImportedElement, deps: ToolDeps): ImportDraft | undefined {
  const component = textAt(tool, 'component')
  const spec = textAt(tool, 'type') === 'custom-mc' ? undefined : specNamed(zarazComponents, component)
  if (spec) return draftOf(tool, spec, element, deps)
  const isPage = ['html', 'custom-image'].includes(component) || textAt(tool, 'type') === 'library'
  const text = isPage
    ? 'It works in the page and stays there.'
    : `No channel is known for ${component || 'this component'}.`
  noteOn(element, 'notMapped', text, isPage ? 'PAGE_ONLY' : 'UNKNOWN_TEMPLATE')
  return undefined
}

const variableNote = (variable: JsonObject) =>
  textAt(variable, 'type') === 'worker'
    ? note('notMapped', 'It is computed by a Worker.', 'CUSTOM_CODE')
    : note('mapped', 'Its value was inserted where a tool uses it.')

/** An exported Zaraz configuration. Throws ImportError for any other file. */
export function importZaraz(file: Uint8Array | string, options: ImportOptions, deps: ImportDeps): ImportResult {
  const found = parseExport(file)
  // The API returns the configuration in `result`.
  const config = isRecord(member(found, 'result')) ? objectOf(found.result) : found
  if (!isRecord(member(config, 'tools')))
    throw new ImportError(`The file is not a Zaraz configuration: it has no tools. ${otherKind(found, 'zaraz')}`)
  const [tools, triggers, variables] = [
    entriesOf(config.tools),
    entriesOf(member(config, 'triggers')),
    entriesOf(member(config, 'variables')),
  ]
  for (const [name, list] of Object.entries({ tools, triggers, variables })) refuseTooMany(name, list.length)
  const consent = objectOf(member(config, 'consent'))
  const purposes = new Map([
    ...entriesOf(member(consent, 'purposes')),
    ...entriesOf(member(consent, 'purposesWithTranslations')),
  ])
  const isCommerce = member(member(config, 'settings'), 'ecommerce') === true
  const parsed = { triggers: new Map(triggers), variables: new Map(variables), purposes }
  const toolDeps = { catalogue: deps.catalogue, config: parsed, isCommerce }
  const toolElements = tools.map(([id, tool]) => newElement('tool', id, textAt(tool, 'name')))
  const drafts = tools.flatMap(([, tool], at) => readTool(tool, toolElements[at]!, toolDeps) ?? [])
  const triggerElements = triggers.map(([id, trigger]) => {
    const route = readTrigger(trigger)
    return newElement('trigger', id, textAt(trigger, 'name'), ...(isProblem(route) ? [route.problem] : []))
  })
  const variableElements = variables.map(([id, variable]) =>
    newElement('variable', id, textAt(variable, 'name'), variableNote(variable)),
  )
  const purposeElements = [...purposes].map(([id, purpose]) => newElement('purpose', id, textAt(purpose, 'name') || id))
  const steps = [
    'Page code that calls zaraz.track must call the SDK instead: aglet.event with the same name and properties.',
  ]
  const elements = [...toolElements, ...triggerElements, ...variableElements, ...purposeElements]
  return toResult({ product: 'Zaraz', drafts, elements, steps }, options, deps)
}
