import type { Exchange } from '#contract/journey.ts'
import type { Scope } from '#contract/scopes.ts'
import type { RecordEvent } from '#event/record.ts'

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
const words = /[\w.~%+-]+/g
const isId = (word: string) => word.length >= 16 && /\d/.test(word)

/** A text of a vendor or of code as callers without `user:read` get it. */
export const maskText = (text: string): string =>
  identifying
    .reduce((masked, pattern) => masked.replace(pattern, mark), text)
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

/** An exchange without what it says: its host, method and status. */
export const maskExchange = ({ request: { method, url }, response }: Exchange): Exchange => ({
  request: { method, url: URL.canParse(url) ? `${new URL(url).origin}/${mark}` : mark, headers: {} },
  ...(response && { response: { status: response.status, headers: {} } }),
})
