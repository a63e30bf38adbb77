import { findStrings, indexStrings } from '#kit/stringSearch.ts'
import type { WireRequest } from './wireRequest.ts'

const mark = '•••'
/** Of a longer request no word is looked for, in characters: then the message keeps its status alone. */
const maxSearched = 512 * 1024
const words = /[\p{L}\p{N}_]{4,}/gu
const isFieldName = /^[a-z_]+$/i

/**
 * A vendor's message about the events of several people, without the words that it repeats of the request: it is kept
 * with each of their deliveries, and the erasure of one person finds only that person's own. Names of fields stay.
 */
export function withoutEchoes(message: string, { url, headers, body = '' }: WireRequest): string {
  const status = /^HTTP \d{3}/.exec(message)?.[0] ?? ''
  const sent = `${url}\n${Object.values(headers).join('\n')}\n${body}`
  if (sent.length > maxSearched) return status || mark
  const lower = sent.toLowerCase()
  const found = findStrings(lower, indexStrings((message.match(words) ?? []).map((word) => word.toLowerCase())))
  const echoed = new Set(found?.map(({ from, to }) => lower.slice(from, to)))
  const isField = (word: string) => isFieldName.test(word) && sent.includes(`"${word}":`)
  const masked = message.slice(status.length).replace(words, (word) => {
    const isKept = found !== undefined && (!echoed.has(word.toLowerCase()) || isField(word))
    return isKept ? word : mark
  })
  return status + masked
}
