import type { OperationId } from '#contract/operations.ts'
import { type PersonalFields, type PersonalTreatment, personalTexts } from '#contract/personalTexts.ts'
import type { Scope } from '#contract/scopes.ts'
import type { RecordEvent } from '#event/record.ts'
import { mark, redactor } from '#provider/engine/redaction.ts'

/** Whether a caller may read personal data. Without this scope, texts of vendors and of code are masked. */
export const mayReadUser = ({ scopes }: { scopes: ReadonlySet<Scope> }): boolean => scopes.has('user:read')

/** Personal data that texts of vendors and code may repeat: page URLs, user agents, click ids. */
const identifying = [
  /\bMozilla\/[^"'\n]*/g,
  /\b[a-z]{2,10}:\/\/[^\s"'<>]+/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  /\b[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}\b/gi,
]
/** Words, of which some may be ids. */
const words = /[\w~%+-]+/g
const isId = (word: string) => word.length >= minIdLength && /\d/.test(word)
const minIdLength = 8

const redact = redactor({ secrets: [] })

/** A text of a vendor or of code, masked for callers without `user:read`. */
export const maskText = (text: string): string =>
  identifying
    .reduce((masked, pattern) => masked.replace(pattern, mark), redact(text))
    .replace(words, (word) => (isId(word) || word.startsWith('usr_') ? mark : word))

const minLength = 4
const maxTexts = 200

/** The texts inside a value, up to a limit. */
function textsIn(value: unknown, found: string[] = []): string[] {
  if (found.length >= maxTexts) return found
  if (typeof value === 'string') found.push(value)
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) textsIn(member, found)
  return found
}

/** Masks texts about an event, including the event's own values wherever they are repeated. */
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

/** Applies a treatment to a field; undefined if the field is left out. */
function treatField(treatment: PersonalTreatment, value: unknown, mask: (text: string) => string): unknown {
  if (treatment === 'absent') return undefined
  if (treatment === 'empty') return Array.isArray(value) ? [] : {}
  return typeof value === 'string' ? (treatment === 'host' ? hostOf(value) : mask(value)) : undefined
}

/** A value with the field at a path treated, in each row of the lists on the path. */
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

/** A response without personal texts. `mask` masks one text. */
export const withoutPersonalTexts = <Value>(fields: PersonalFields, value: Value, mask = maskText): Value =>
  Object.entries(fields).reduce<unknown>(
    (left, [path, treatment]) => treatPath(left, path.split('.'), (field) => treatField(treatment, field, mask)),
    value,
  ) as Value

/** The response of an operation as a caller with these scopes may see it. */
export const shownTo = <Value>(
  access: { scopes?: ReadonlySet<Scope> } | undefined,
  id: OperationId,
  value: Value,
): Value =>
  personalTexts[id] && !access?.scopes?.has('user:read') ? withoutPersonalTexts(personalTexts[id], value) : value
