import { type BuildInput, describeRequests } from './build.ts'
import { holds } from './privacy.ts'
import type { Many, Provider, Send, Skip } from './provider.ts'
import type { WireRequest } from './send.ts'
import { wireOf } from './wire.ts'

/** A request and the places of the events in it, as they were handed in. */
export type Batch = {
  request: WireRequest
  of: readonly number[]
  /** Whose each row of its lists is, as a place in `of`: for a vendor that names rows in its answer. */
  rows?: Rows
}
export type Rows = Readonly<Record<string, readonly number[]>>
/** What is sent for many events of one script, and those that are not sent, with their reason. */
export type Batched = { batches: Batch[]; skipped: (Skip & { at: number })[] }

type Part = { send: Send; at: number }

const usualBytes = 1_000_000

const listAt = ({ json }: Send, at: string): unknown[] => (json as Record<string, unknown[]>)[at] ?? []

type Lists = Extract<Many, { at: unknown }>
const listsOf = ({ at }: Lists): readonly string[] => [at].flat()

const without = (members: object = {}, names: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))

/** What two requests must share to be one: everything but what speaks of one event. */
const restOf = ({ json, headers, ...send }: Send, many: Lists): string =>
  JSON.stringify([send, without(headers, many.alone ?? []), without(json as object, listsOf(many))])

function joined(parts: readonly Part[], many: Many | undefined): Send {
  const sends = parts.map(({ send }) => send)
  if (sends.length === 1 || !many) return sends[0]!
  if ('join' in many) return many.join(sends)
  const { headers, ...first } = sends[0]!
  const rows = listsOf(many).map((at) => [at, sends.flatMap((send) => listAt(send, at))] as const)
  const json = { ...(first.json as object), ...Object.fromEntries(rows.filter(([, list]) => list.length > 0)) }
  return { ...first, ...(headers && { headers: without(headers, many.alone ?? []) }), json }
}

/** Whose the rows of each list are: an event has none, one or several there. */
const rowsOf = (parts: readonly Part[], many: Lists): Rows =>
  Object.fromEntries(
    listsOf(many).map((at) => [at, parts.flatMap(({ send }, place) => listAt(send, at).map(() => place))]),
  )

const groups = (parts: readonly Part[], many: Many): Part[][] =>
  'join' in many ? [[...parts]] : (Object.values(Object.groupBy(parts, ({ send }) => restOf(send, many))) as Part[][])

const countIn = (send: Send, many: Many): number =>
  'at' in many ? listsOf(many).reduce((sum, at) => sum + listAt(send, at).length, 0) : (many.count?.(send) ?? 1)

/** Cuts a group so that each piece holds no more than the vendor takes. */
function cut(parts: readonly Part[], many: Many): Part[][] {
  const pieces: Part[][] = []
  let left = { events: 0, bytes: 0 }
  for (const part of parts) {
    const events = countIn(part.send, many)
    const bytes = Buffer.byteLength(JSON.stringify(part.send.json ?? part.send.text ?? ''))
    const fits = events <= left.events && bytes <= left.bytes
    if (!fits) left = { events: many.most, bytes: many.maxBytes ?? usualBytes }
    left = { events: left.events - events, bytes: left.bytes - bytes }
    if (fits) pieces.at(-1)!.push(part)
    else pieces.push([part])
  }
  return pieces
}

/** What an event takes; or why it is not sent. */
function partsOf(id: string, provider: Provider, input: BuildInput, at: number): Part[] | Skip {
  const told = describeRequests(id, provider, input)
  if ('skipped' in told) return told
  const { sends, contacts } = told
  if (sends.length === 0) return { skipped: 'filtered' }
  const leaks = contacts && sends.some((send) => holds(wireOf(send, input.now), contacts))
  return leaks ? { skipped: 'payloadRefused' } : sends.map((send) => ({ send, at }))
}

/**
 * The requests by which a provider is told of many events of one script, with the same secrets and token. What cannot be
 * joined goes by itself; an event that takes several requests keeps their order.
 */
export function buildBatch(id: string, provider: Provider, inputs: readonly BuildInput[]): Batched {
  const { many } = provider
  const told = inputs.map((input, at) => partsOf(id, provider, input, at))
  const skipped = told.flatMap((each, at) => ('skipped' in each ? [{ ...each, at }] : []))
  const parts = told.flatMap((each) => ('skipped' in each ? [] : [each]))
  const alone = parts.filter((each) => !many || each.length > 1).flat()
  const together = parts.filter((each) => many && each.length === 1).flat()
  const joins = many ? groups(together, many).flatMap((group) => cut(group, many)) : []
  const pieces = [...joins, ...alone.map((part) => [part])]
  const now = inputs[0]?.now ?? 0
  const batches = pieces.map((piece) => ({
    request: wireOf(joined(piece, many), now),
    of: piece.map(({ at }) => at),
    ...(many?.failed && 'at' in many && piece.length > 1 && { rows: rowsOf(piece, many) }),
  }))
  return { batches, skipped }
}
