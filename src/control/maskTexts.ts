import type { OperationId } from '#contract/operations.ts'
import { type PersonalFields, type PersonalTreatment, personalTexts } from '#contract/personalTexts.ts'
import type { Scope } from '#contract/scopes.ts'
import type { RecordEvent } from '#event/record.ts'
import { redactor } from '#provider/engine/redaction.ts'

const mark = '•••'

/** Whether a caller may read what names people. Without this scope, texts of vendors and of code are masked. */
export const mayReadUser = ({ scopes }: { scopes: ReadonlySet<Scope> }): boolean => scopes.has('user:read')

/** Texts of vendors and of code may repeat what they got of a person: addresses of pages, user agents, ids of clicks. */
const identifying = [
  /\bMozilla\/[^"'\n]*/g,
  /\b[a-z]{2,10}:\/\/[^\s"'<>]+/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  /\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}\b/gi,
]
/** A word that no sentence has, and an id may be. */
const words = /[\w~%+-]+/g
const isId = (word: string) => word.length >= minIdLength && /\d/.test(word)
const minIdLength = 8

const redact = redactor({ secrets: [] })

/** A text of a vendor or of code as callers without `user:read` get it. */
export const maskText = (text: string): string =>
  identifying
    .reduce((masked, pattern) => masked.replace(pattern, mark), redact(text))
    .replace(words, (word) => (isId(word) || word.startsWith('usr_') ? mark : word))

const minLength = 4
const maxTexts = 200

/** The texts inside a value, the first ones of many. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (found.length >= maxTexts) return found
  if (typeof value === 'string') found.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) textsIn(member, found)
  return found
}

/** The masking of an event's own texts: also of what the event itself says, wherever it is repeated. */
export function maskOfEvent(recorded: RecordEvent | undefined): (text: string) => string {
  if (!recorded) return maskText
  const { event, context, userId } = recorded
  const { eventName: _, eventId: __, timestamp: ___, ...own } = event
  const texts = [userId, context.userAgent ?? '', context.ip ?? '', ...textsIn(own)]
  const longest = texts.filter(({ length }) => length >= minLength).toSorted((one, other) => other.length - one.length)
  return (text) => maskText(longest.reduce((masked, own) => masked.replaceAll(own, mark), text))
}

const hostOf = (url: string) => (URL.canParse(url) ? `${new URL(url).origin}/${mark}` : mark)

type Values = Record<string, unknown>

/** A field as it is treated; undefined if it is left out. */
function treatField(treatment: PersonalTreatment, value: unknown, mask: (text: string) => string): unknown {
  if (treatment === 'absent') return undefined
  if (treatment === 'empty') return Array.isArray(value) ? [] : {}
  return typeof value === 'string' ? (treatment === 'host' ? hostOf(value) : mask(value)) : undefined
}

/** A value with its field at a path treated, in each row of the lists on the way. */
function treatPath(
  value: unknown,
  [name = '', ...rest]: readonly string[],
  treat: (field: unknown) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map((each) => treatPath(each, [name, ...rest], treat))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value
  const { [name]: field, ...others } = value as Values
  const treated = rest.length > 0 ? treatPath(field, rest, treat) : treat(field)
  return treated === undefined ? others : { ...others, [name]: treated }
}

/** A response without the texts of visitors. `mask`: masks a text. */
export const withoutPersonalTexts = <Value>(fields: PersonalFields, value: Value, mask = maskText): Value =>
  Object.entries(fields).reduce<unknown>(
    (left, [path, treatment]) => treatPath(left, path.split('.'), (field) => treatField(treatment, field, mask)),
    value,
  ) as Value

/** The response of an operation as a caller with these scopes gets it. */
export const shownTo = <Value>(
  access: { scopes?: ReadonlySet<Scope> } | undefined,
  id: OperationId,
  value: Value,
): Value =>
  personalTexts[id] && !access?.scopes?.has('user:read') ? withoutPersonalTexts(personalTexts[id], value) : value
