import { note } from '../channelDraft.ts'
import { isPath } from '../filter.ts'
import type { MapRule, Note } from '../importResult.ts'
import type { GtmTag } from './container.ts'
import { fieldOf, type Resolved, type Resolver } from './variables.ts'

/** Fields of vendors that are built of the items of an event. */
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

/** Keys of the person and of the request as vendors name them, and the field that holds the same here. */
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
/** What every channel gets of the request and of the browser by itself. */
const ofRequest =
  /^(?:client_)?(?:ip|ip_address|user_agent|fbp|fbc|ttp|ttclid|click_id|event_id|event_time|event_source_url|url|referrer|gclid|epik|scid|uuid)(?:_c1)?$/i

const isPersonal = (path: string) => path.startsWith('user')

/** The rule that sets a field from what a row of a table says; undefined if events have it there already. */
function ruleOf(field: string, value: Resolved): MapRule | Note | undefined {
  if (value.kind === 'unknown') return value.note
  if (value.kind === 'constant') return { set: field, value: value.value }
  if (value.kind === 'eventName' || value.kind === 'clientName')
    return note(
      'needsDecision',
      `${field} gets the name of the event or client, which a rule cannot read.`,
      'DYNAMIC_VALUE',
    )
  if (value.kind === 'field') {
    if (value.path === field) return undefined
    if (isPersonal(value.path) || value.path.startsWith('place') || /^(?:pageUrl|referrer)\./.test(value.path))
      return note(
        'needsDecision',
        `${field} is set from ${value.path}, which may not or cannot go there.`,
        'DYNAMIC_VALUE',
      )
    return { set: field, from: value.path }
  }
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

function readRow(name: string, text: string, resolver: Resolver): MapRule | Note | undefined {
  if (ofItems.has(name) || text === '') return undefined
  const field = dataField(name)
  if (field === undefined || !isPath(field))
    return note('needsDecision', `The field ${name.slice(0, 60)} cannot be set by a rule.`, 'DYNAMIC_VALUE')
  return ruleOf(field, resolver.resolve(text))
}

/**
 * The field that a row of the person is filled from where that is not the usual one: `ct from {{x-geo-city}}`. Channels
 * get people from the event and the profile.
 */
function otherPersonSource(name: string, text: string, resolver: Resolver): string | undefined {
  if (ofRequest.test(name) || text === '') return undefined
  const value = resolver.resolve(text)
  if (value.kind === 'field' && isPersonal(value.path)) return undefined
  const field = Object.hasOwn(personFields, name) ? personFields[name] : undefined
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

/** The rules and the notes of a tag's tables of values. */
export function dataRulesOf({ parameters: { tables } }: GtmTag, resolver: Resolver): { map: MapRule[]; notes: Note[] } {
  const cells = (row: ReadonlyMap<string, string>): [string, string] => [
    row.get('name') ?? row.get('key') ?? row.get('field') ?? '',
    row.get('value') ?? '',
  ]
  const rows = (names: readonly string[]) => names.flatMap((name) => (tables.get(name) ?? []).map(cells))
  const found = rows(dataTables)
    .map(([name, text]) => readRow(name, text, resolver))
    .filter((each) => each !== undefined)
  const persons = rows(personTables).flatMap(([name, text]) => otherPersonSource(name, text, resolver) ?? [])
  const person = `Send these as keys of the user: ${persons.join(', ').slice(0, 500)}.`
  const notes = found.filter((each): each is Note => !isRule(each))
  if (persons.length > 0) notes.push(note('needsDecision', person, 'DYNAMIC_VALUE'))
  return { map: found.filter(isRule), notes }
}
