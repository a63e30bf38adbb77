import type { MapRule } from '#contract/rule/channelRules.ts'
import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import { isPath, patternIssue } from '../filter.ts'
import { note } from '../importDraft.ts'
import type { Note } from '../importResult.ts'
import type { GtmTag } from './container.ts'
import { fieldOf, type Resolved, type Resolver } from './variables.ts'

/** Vendor fields that are computed from the items of an event. */
const ofItems: ReadonlySet<string> = new Set([
  'content_ids',
  'contents',
  'num_items',
  'content_type',
  'items',
  'products',
])

const dataFields: Readonly<Record<string, string>> = {
  order_id: 'data.orderId',
  search_string: 'data.search',
  query: 'data.search',
}
const dataField = (name: string): string | undefined =>
  Object.hasOwn(dataFields, name) ? dataFields[name] : name.startsWith('user') ? undefined : fieldOf(name)

/** Vendors' keys of the person and request, and the corresponding field here. */
const personFields: Readonly<Record<string, string>> = {
  em: 'userEmail',
  email: 'userEmail',
  ph: 'userPhone',
  phone: 'userPhone',
  fn: 'userFirstName',
  ln: 'userLastName',
  ct: 'userCity',
  st: 'userState',
  zp: 'userZip',
  country: 'userCountry',
  external_id: 'userCustomerId',
}
/** Fields of the request and browser that every channel gets automatically. */
const ofRequest =
  /^(?:client_)?(?:ip|ip_address|user_agent|fbp|fbc|ttp|ttclid|click_id|event_id|event_time|event_source_url|url|referrer|gclid|epik|scid|uuid)(?:_c1)?$/i

/** The rule for a field from a table row; undefined if events already have the value in that field. */
function ruleOf(field: string, value: Resolved): MapRule | Note | undefined {
  if (value.kind === 'unknown') return value.note
  if (value.kind === 'constant') return { set: field, value: value.value }
  if (value.kind === 'eventName' || value.kind === 'clientName')
    return note(
      'needsDecision',
      `${field} is set to the name of the event or client, which a rule cannot read.`,
      'DYNAMIC_VALUE',
    )
  if (value.kind === 'field') return value.path === field ? undefined : { set: field, from: value.path }
  if (value.input.kind !== 'field')
    return note('needsDecision', `${field} is looked up by the name of the event or client.`, 'DYNAMIC_VALUE')
  const cases = [...value.rows].slice(0, 200).map(([key, text]) => ({ when: key, value: text }))
  return {
    set: field,
    switch: value.input.path,
    cases,
    ...(value.otherwise !== undefined && { otherwise: value.otherwise }),
  }
}

const isRule = (found: MapRule | Note): found is MapRule => 'set' in found

/** A rule that the server accepts, or a note about the problem. */
export function checkedRule(rule: MapRule): MapRule | Note {
  const [issue] = ruleIssues({ map: [rule] }, patternIssue)
  if (!issue) return rule
  const field = 'set' in rule ? rule.set : rule.remove
  return note('needsDecision', `${field.slice(0, 100)} ${issue.message}.`, 'CONDITION_NOT_EXPRESSIBLE')
}

function readRow(name: string, text: string, resolver: Resolver): MapRule | Note | string | undefined {
  if (ofItems.has(name) || ofRequest.test(name) || text === '') return undefined
  const field = dataField(name)
  if (field === undefined || !isPath(field))
    return note('needsDecision', `The field ${name.slice(0, 60)} cannot be set by a rule.`, 'DYNAMIC_VALUE')
  const value = resolver.resolve(text)
  if (value.kind === 'unknown' && value.note.code !== 'CYCLE' && value.note.code !== 'MISSING_REFERENCE')
    return `${field} from ${text.slice(0, 60)}`
  const found = ruleOf(field, value)
  return found && isRule(found) ? checkedRule(found) : found
}

/**
 * A row with a key of the person: a rule that fills a missing key, or a text for a note: `userCity from
 * {{x-geo-city}}`. Channels get the person from the event and the profile automatically.
 */
function readPersonRow(name: string, text: string, resolver: Resolver): MapRule | string | undefined {
  if (ofRequest.test(name) || text === '') return undefined
  const field = Object.hasOwn(personFields, name) ? personFields[name] : undefined
  const value = resolver.resolve(text)
  if (value.kind === 'field' && value.path === field) return undefined
  if (value.kind === 'field' && field !== undefined) {
    const rule = checkedRule({ set: field, from: value.path, when: 'missing' })
    if (isRule(rule)) return rule
  }
  return `${field ?? name.slice(0, 40)} from ${text.slice(0, 60)}`
}

const dataTables = [
  'customDataList',
  'eventDataParametersList',
  'eventParametersList',
  'trackParameters',
  'properties',
  'eventProperties',
  'eventCustomDataList',
  'custom_properties',
]
const personTables = ['userDataList', 'userDataParametersList', 'userIds', 'userInfo', 'userIdentifiersList']

type DataRules = { map: MapRule[]; personMap: MapRule[]; notes: Note[] }

/** The rules and notes for a tag's tables of values. */
export function dataRulesOf({ parameters: { tables } }: GtmTag, resolver: Resolver): DataRules {
  const cells = (row: ReadonlyMap<string, string>): [string, string] => [
    row.get('name') ?? row.get('key') ?? row.get('field') ?? '',
    row.get('value') ?? '',
  ]
  const rows = (names: readonly string[]) => names.flatMap((name) => (tables.get(name) ?? []).map(cells))
  const data = rows(dataTables).map(([name, text]) => readRow(name, text, resolver))
  const persons = rows(personTables).map(([name, text]) => readPersonRow(name, text, resolver))
  const listed = (found: readonly unknown[]) =>
    found
      .filter((each) => typeof each === 'string')
      .join(', ')
      .slice(0, 500)
  const found = data.filter((each) => typeof each === 'object')
  const notes = found.filter((each) => !isRule(each)) as Note[]
  const [computed, others] = [listed(data), listed(persons)]
  if (computed) notes.push(note('needsDecision', `Send these with the event: ${computed}.`, 'DYNAMIC_VALUE'))
  if (others) notes.push(note('needsDecision', `Send these as keys of the user: ${others}.`, 'DYNAMIC_VALUE'))
  return { map: found.filter(isRule), personMap: persons.filter((each) => typeof each === 'object'), notes }
}
