import { isPath } from '../filter.ts'
import { note } from '../importDraft.ts'
import type { ImportCode, Note } from '../importResult.ts'
import type { GtmContainer, GtmElement } from './container.ts'

/** The resolved value of a text in a container. */
export type Resolved =
  | { kind: 'constant'; value: string }
  /** A field of the event, by its path here. */
  | { kind: 'field'; path: string }
  | { kind: 'eventName' }
  | { kind: 'clientName' }
  /** A lookup table from the values of another value to constants. */
  | { kind: 'lookup'; input: Resolved; rows: ReadonlyMap<string, string>; otherwise: string | undefined }
  | { kind: 'unknown'; note: Note }

const unknown = (text: string, code: ImportCode): Resolved => ({
  kind: 'unknown',
  note: note('needsDecision', text, code),
})

/** Event data of GA4 and the Data Tag, and the fields to which the sources map them. */
const fields: Readonly<Record<string, string>> = {
  value: 'data.value',
  currency: 'data.currency',
  transaction_id: 'data.orderId',
  order_id: 'data.orderId',
  items: 'data.contents',
  contents: 'data.contents',
  tax: 'data.tax',
  shipping: 'data.shipping',
  coupon: 'data.discounts.code',
  search_term: 'data.search',
  search_string: 'data.search',
  page_location: 'pageUrl',
  page_hostname: 'pageUrl.host',
  page_path: 'pageUrl.path',
  page_referrer: 'referrer',
  page_title: 'pageTitle',
  event_name: 'eventName',
  user_id: 'userCustomerId',
  'user_data.email_address': 'userEmail',
  'user_data.email': 'userEmail',
  'user_data.sha256_email_address': 'userEmail',
  'user_data.phone_number': 'userPhone',
  'user_data.sha256_phone_number': 'userPhone',
  'user_data.address.first_name': 'userFirstName',
  'user_data.address.last_name': 'userLastName',
  'user_data.address.city': 'userCity',
  'user_data.address.region': 'userState',
  'user_data.address.postal_code': 'userZip',
  'user_data.address.country': 'userCountry',
}

/** The field of an event data key; undefined for one that Google uses internally. */
export function fieldOf(keyPath: string): string | undefined {
  const path = keyPath.trim()
  const plain = path.replace(/^user_data\.address\.0\./, 'user_data.address.')
  if (Object.hasOwn(fields, plain)) return fields[plain]
  if (/^x-/.test(path) || !isPath(path) || /(?:^|\.)\d+(?:\.|$)/.test(path)) return undefined
  return `data.${path}`
}

/** Notes for variable types that have no value in a channel. */
const otherTypes: Readonly<Record<string, readonly [text: string, code: ImportCode]>> = {
  gd: ['reads Firestore', 'FIRESTORE'],
  jsm: ['is JavaScript', 'CUSTOM_CODE'],
  vr: ['is a random number', 'DYNAMIC_VALUE'],
  rh: ['is a header of the request', 'DYNAMIC_VALUE'],
  k: ['is a cookie', 'DYNAMIC_VALUE'],
  remm: ['is a table of regular expressions', 'DYNAMIC_VALUE'],
  ct: ['is a setting of the container', 'DYNAMIC_VALUE'],
  cid: ['is the id of the container', 'DYNAMIC_VALUE'],
  ctv: ['is the version of the container', 'DYNAMIC_VALUE'],
  dbg: ['is the debug mode', 'DYNAMIC_VALUE'],
}

const builtIns: Readonly<Record<string, Resolved>> = {
  eventname: { kind: 'eventName' },
  clientname: { kind: 'clientName' },
  visitorregion: { kind: 'field', path: 'place.region' },
}
const defaultNames: Readonly<Record<string, string>> = {
  _event: 'eventname',
  'Event Name': 'eventname',
  Event: 'eventname',
  'Client Name': 'clientname',
  'Visitor Region': 'visitorregion',
}

/** Texts of nested variables that become longer than this are not resolved. */
const longestText = 10_000
const reference = /\{\{([^{}]{1,300})\}\}/g

export type Resolver = {
  /** Resolves a text with references. */
  resolve(text: string): Resolved
  /** The names of the variables that were requested. */
  readonly used: ReadonlySet<string>
}

/** Resolves the variables of a container. Each variable is resolved once; cycles end in a note. */
class VariableResolver implements Resolver {
  readonly #container: Pick<GtmContainer, 'variables' | 'builtIns'>
  readonly #done = new Map<string, Resolved>()
  readonly #open = new Set<string>()
  readonly used = new Set<string>()

  constructor(container: Pick<GtmContainer, 'variables' | 'builtIns'>) {
    this.#container = container
  }

  resolve(text: string): Resolved {
    if (!text.includes('{{')) return { kind: 'constant', value: text }
    const whole = /^\{\{([^{}]{1,300})\}\}$/.exec(text.trim())
    if (whole) return this.#resolveName(whole[1]!.trim())
    const parts = [...text.matchAll(reference)].map(([, name]) => this.#resolveName(name!.trim()))
    const other = parts.find(({ kind }) => kind !== 'constant')
    if (other?.kind === 'unknown') return other
    if (other) return unknown('A text is built for each event.', 'DYNAMIC_VALUE')
    const values = parts.map(constantOf)
    if (values.reduce((sum, value) => sum + value.length, text.length) > longestText)
      return unknown('A text with variables is too long.', 'TOO_LONG')
    let at = 0
    return { kind: 'constant', value: text.replace(reference, () => values[at++]!) }
  }

  #resolveName(name: string): Resolved {
    this.used.add(name)
    const known = this.#done.get(name)
    if (known) return known
    if (this.#open.has(name) || this.#open.size > mostNested)
      return unknown(`The variable ${name} refers to itself.`, 'CYCLE')
    this.#open.add(name)
    const found = this.#read(name)
    this.#open.delete(name)
    this.#done.set(name, found)
    return found
  }

  #read(name: string): Resolved {
    const { variables, builtIns } = this.#container
    const variable = variables.get(name)
    if (!variable) return readBuiltIn(name, builtIns)
    const { type, parameters } = variable
    if (type === 'c') return this.resolve(parameters.texts.get('value') ?? '')
    if (type === 'e') return { kind: 'eventName' }
    if (type === 'smm') return this.#readLookup(variable)
    if (type === 'ed') return readEventData(name, parameters.texts.get('keyPath') ?? '')
    const [text, code] = Object.hasOwn(otherTypes, type) ? otherTypes[type]! : byTemplate
    return unknown(`The variable ${name} ${text}.`, code)
  }

  #readLookup({ name, parameters: { texts, tables } }: GtmElement): Resolved {
    const input = this.resolve(texts.get('input') ?? '')
    const rows = (tables.get('map') ?? []).map((row): [string, Resolved] => [
      row.get('key') ?? '',
      this.resolve(row.get('value') ?? ''),
    ])
    const otherwise =
      texts.get('setDefaultValue') === 'true' ? this.resolve(texts.get('defaultValue') ?? '') : undefined
    const isConstant = [...rows.map(([, value]) => value), ...(otherwise ? [otherwise] : [])].every(
      ({ kind }) => kind === 'constant',
    )
    if (!isConstant || input.kind === 'unknown')
      return unknown(`${name} is a table with an input or rows that are computed for each event.`, 'DYNAMIC_VALUE')
    return {
      kind: 'lookup',
      input,
      rows: new Map(rows.map(([key, value]) => [key, constantOf(value)])),
      otherwise: otherwise && constantOf(otherwise),
    }
  }
}

const mostNested = 50
const byTemplate = ['is made by a template', 'UNKNOWN_TEMPLATE'] as const
const constantOf = (resolved: Resolved) => (resolved.kind === 'constant' ? resolved.value : '')

function readBuiltIn(name: string, own: ReadonlyMap<string, string>): Resolved {
  const type = own.get(name) ?? (Object.hasOwn(defaultNames, name) ? defaultNames[name] : undefined)
  if (type === undefined) return unknown(`The variable ${name} is not in the file.`, 'MISSING_REFERENCE')
  return Object.hasOwn(builtIns, type) ? builtIns[type]! : unknown(`${name} has no value here.`, 'DYNAMIC_VALUE')
}

function readEventData(name: string, keyPath: string): Resolved {
  const path = fieldOf(keyPath)
  if (path === 'eventName') return { kind: 'eventName' }
  if (path === undefined) return unknown(`${name} reads a value that events do not have here.`, 'DYNAMIC_VALUE')
  return { kind: 'field', path }
}

export const createResolver = (container: Pick<GtmContainer, 'variables' | 'builtIns'>): Resolver =>
  new VariableResolver(container)
