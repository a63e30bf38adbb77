import { isRecord } from '#contract/isRecord.ts'
import { ImportError, importLimits } from './importResult.ts'

export type JsonObject = { readonly [name: string]: unknown }

const nothing: JsonObject = Object.freeze({})
export const objectOf = (value: unknown): JsonObject => (isRecord(value) ? value : nothing)
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const objectsOf = (value: unknown): JsonObject[] => listOf(value).filter(isRecord)

/** An own member, so that `__proto__` and `constructor` of an export reach nothing of JavaScript. */
export const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** A text; numbers and truth values as text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
export const textAt = (value: unknown, name: string): string => textOf(member(value, name))

/** The members of an object that maps ids to objects. */
export const entriesOf = (value: unknown): [id: string, each: JsonObject][] =>
  Object.entries(objectOf(value)).flatMap(([id, each]) => (isRecord(each) ? [[id, each]] : []))

/** Decodes UTF-8, or UTF-16 by its byte order mark. */
function decode(bytes: Uint8Array): string {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(mark).decode(bytes)
}

/** The text of an export. Throws ImportError if it is too large. */
export function exportText(content: Uint8Array | string): string {
  const size = content.length
  if (size > importLimits.bytes)
    throw new ImportError(
      `The file has ${Math.ceil(size / 1e6)} MB; the limit is ${importLimits.bytes / 1e6} MB. Export only one container or workspace.`,
    )
  return typeof content === 'string' ? content.replace(/^\ufeff/, '') : decode(content)
}

/** Line and column of a syntax error: V8's message has the position or quotes the text around it. */
function positionIn(text: string, message: string): string {
  if (text.trim() === '') return 'it is empty'
  if (message.includes('end of JSON')) return 'it ends too early'
  // ReDoS: at most 200 characters, an error of the JSON parser
  const quoted = /"([\s\S]*)"(?:\.\.\.)? is not valid JSON$/.exec(message.slice(0, 200))?.[1]
  const at = Number(/at position (\d{1,9})/.exec(message)?.[1] ?? (quoted ? text.indexOf(quoted) : 0))
  const before = text.slice(0, Math.max(at, 0))
  return `line ${before.split('\n').length}, column ${before.length - before.lastIndexOf('\n')}`
}

/** Whether a value is nested deeper than `limit`. Not recursive. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

/** Parses an export. Throws ImportError with line and column. */
export function parseExport(content: Uint8Array | string): JsonObject {
  const text = exportText(content)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (problem) {
    const where = positionIn(text, (problem as Error).message)
    throw new ImportError(`The file is not JSON (${where}). Export it again and use the unchanged download.`)
  }
  if (isDeeperThan(value, importLimits.depth))
    throw new ImportError(`The file is nested deeper than ${importLimits.depth} levels, so it is not an export.`)
  if (!isRecord(value)) throw new ImportError('The file is not an export: it must be a JSON object.')
  return value
}

/** Throws ImportError if an export has more elements than a person can read. */
export function refuseTooMany(kind: string, count: number): void {
  if (count > importLimits.elements)
    throw new ImportError(
      `The file has ${count} ${kind}; the limit is ${importLimits.elements}. Split it, or remove unused elements.`,
    )
}

/** The products whose exports are read. */
const importProducts = ['gtm', 'zaraz', 'segment', 'rudderstack'] as const
export type ImportProduct = (typeof importProducts)[number]

const kinds: readonly [name: string, product: ImportProduct, test: (value: JsonObject) => boolean][] = [
  ['a Google Tag Manager container', 'gtm', (value) => isRecord(member(value, 'containerVersion'))],
  [
    'a Google Tag Manager container',
    'gtm',
    (value) => isRecord(member(value, 'container')) && member(value, 'containerVersionId') !== undefined,
  ],
  [
    'a Zaraz configuration',
    'zaraz',
    (value) => isRecord(member(value, 'tools')) && isRecord(member(value, 'triggers')),
  ],
  [
    'a RudderStack workspace',
    'rudderstack',
    (value) => objectsOf(member(value, 'sources')).some((each) => member(each, 'writeKey') !== undefined),
  ],
  ['an answer of the Segment API', 'segment', (value) => isRecord(member(value, 'data'))],
]

/** The product of an export, and a description of the file; undefined for any other file. */
export function productOf(value: JsonObject): { product: ImportProduct; name: string } | undefined {
  const [name, product] = kinds.find(([, , test]) => test(value)) ?? []
  return name && product ? { product, name } : undefined
}

/** The first member names of a file that is not an export. */
export const membersOf = (value: JsonObject): string =>
  Object.keys(value)
    .slice(0, 5)
    .map((name) => name.slice(0, 40))
    .join(', ') || 'none'

/** Describes a file that was given to the wrong command. */
export function otherKind(value: JsonObject, wanted: ImportProduct): string {
  const found = kinds.find(([, product, test]) => product !== wanted && test(value))
  return found ? `It is ${found[0]}. Use aglet import ${found[1]}.` : `Its members are ${membersOf(value)}.`
}
