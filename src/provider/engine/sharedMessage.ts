import { findStrings, indexStrings } from '#kit/stringSearch.ts'
import { mark } from './redaction.ts'
import type { WireRequest } from './wireRequest.ts'

/** In characters. If the request is longer, it is not searched, and the message keeps only its status. */
const maxSearched = 512 * 1024
const words = /[\p{L}\p{N}_]{4,}/gu
const isFieldName = /^[a-z_]+$/i

/**
 * Masks the words of a vendor's message that also occur in the request. The request holds events of several people, and
 * the message is stored with each of their deliveries; erasing one person would not remove that person's data from the
 * others. Field names are not masked.
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
