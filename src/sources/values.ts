import { isRecord } from '#contract/isRecord.ts'

/**
 * Reads values from untrusted senders. Each function returns undefined for a value of another type, unless it says
 * otherwise.
 */

export type Fields = Readonly<Record<string, unknown>>

const none: Fields = Object.freeze({})

/** An object; an empty one for anything else. */
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : none)

/** The objects of a list; none for anything else. */
export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** A text that is not blank, or a finite number as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return typeof value === 'number' && Number.isFinite(value) ? `${value}` : undefined
}

const amountText = /^-?\d{1,15}(\.\d{1,10})?$/

/** A finite number, or a text that is a plain decimal number: `12.90`. */
export function amountOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && amountText.test(value) ? Number(value) : undefined
}

/** Reads ISO 8601, epoch ms or epoch seconds as epoch ms. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{10,13}$/.test(value))) {
    const number = Number(value)
    return number > 0 && number < 100_000_000_000 ? number * 1000 : number
  }
  if (typeof value !== 'string' || value.length > 40) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : at
}

const aheadMs = 10 * 60 * 1000

/**
 * The time of an event by its sender's clock, corrected by that clock's error at sending. A time that is still in the
 * future becomes the time of receipt, with a note.
 */
export function correctedTime(
  { at, sentAt }: { at: number | undefined; sentAt: number | undefined },
  receivedAt: number,
): { timestamp: number; note?: string } {
  if (at === undefined) return { timestamp: receivedAt }
  const timestamp = Math.round(sentAt === undefined ? at : receivedAt - (sentAt - at))
  if (timestamp <= receivedAt + aheadMs) return { timestamp: Math.min(timestamp, receivedAt) }
  return { timestamp: receivedAt, note: 'its time is more than 10 minutes in the future; the time of receipt is used' }
}

export function put(into: Record<string, unknown>, field: string, value: unknown): void {
  if (value !== undefined) into[field] = value
}

/** Quotes an untrusted name in a note. */
export const quoted = (name: string): string => JSON.stringify(name.slice(0, 100))
