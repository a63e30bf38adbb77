import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'
import type { UserWrite } from '#store/users.ts'

/** A change of the journal or of users, as stored in the log. `begin`: attempts that are about to start. */
export type JournalRecord =
  | { plan: readonly PlannedEvent[] }
  | { settle: readonly DeliveryOutcome[]; packs: readonly ExchangePack[] }
  | { begin: readonly { deliveryId: string; untilMs: number }[] }
  | { users: readonly UserWrite[] }

/** The kinds of records in the log. */
const kinds = { plan: 1, settle: 2, begin: 3, users: 4 } as const

type Encoded = { kind: number; body: Uint8Array }

/** Parsed JSON that this file wrote. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is that of the writer below
type Json = any

/** Shorter texts are not compressed, because they gain little. */
const minCompressed = 1024
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Marks a compressed text, in its length. */
const compressedBit = 0x80000000

/** The layout: the length of the JSON text, the text, then the length and the bytes of each part. */
function pack(kind: number, json: unknown, parts: readonly Uint8Array[] = []): Encoded {
  const plain = Buffer.from(JSON.stringify(json))
  const isCompressed = plain.length >= minCompressed
  const text = isCompressed ? zstdCompressSync(plain, fast) : plain
  const body = Buffer.allocUnsafe(4 + text.length + parts.reduce((sum, part) => sum + 4 + part.length, 0))
  body.writeUInt32LE(text.length + (isCompressed ? compressedBit : 0), 0)
  body.set(text, 4)
  let at = 4 + text.length
  for (const part of parts) {
    at = body.writeUInt32LE(part.length, at)
    body.set(part, at)
    at += part.length
  }
  return { kind, body }
}

function unpack(bytes: Uint8Array): { json: Json; parts: Uint8Array[] } {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = body.readUInt32LE(0)
  const isCompressed = length >= compressedBit
  const end = 4 + (isCompressed ? length - compressedBit : length)
  const parts: Uint8Array[] = []
  for (let at = end; at < body.length; ) {
    const length = body.readUInt32LE(at)
    parts.push(body.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  const text = body.subarray(4, end)
  return { json: JSON.parse((isCompressed ? zstdDecompressSync(text) : text).toString()), parts }
}

// Lists instead of objects, because field names would be about as long as the values.
const eventRow = (event: PlannedEvent) => {
  const { position, index, tagId, eventName, userId, receivedAt, consent, place, deliveries } = event
  const { emailMatch = null, held = null } = event
  const rows = deliveries.map((each) => [each.deliveryId, each.scriptId, each.providerId, each.status, each.reason])
  const { orderKey = null, orderHash, purchase } = event
  const keys = [emailMatch, held, orderKey]
  return [position, index, tagId, eventName, userId, receivedAt, consent, place, ...keys, rows, orderHash, purchase]
}
const readEventRow = (row: Json): PlannedEvent => ({
  ...{ position: row[0], index: row[1], tagId: row[2], eventName: row[3], userId: row[4], receivedAt: row[5] },
  ...{ consent: row[6], place: row[7] },
  ...(row[8] !== null && { emailMatch: row[8] }),
  ...(row[9] !== null && { held: row[9] }),
  ...(row[10] !== null && { orderKey: row[10] }),
  ...(row[12] && { orderHash: row[12] }),
  ...(row[13] && { purchase: row[13] }),
  deliveries: row[11].map(([deliveryId, scriptId, providerId, status, reason]: Json) => ({
    ...{ deliveryId, scriptId, providerId, status },
    ...(reason !== null && { reason }),
  })),
})

const deliveryRow = (delivery: DueDelivery) => {
  const { position, index, scriptId, providerId, attempts, uncountedAttempts, receivedAt } = delivery
  const { orderKey, crashCount } = delivery
  return [position, index, scriptId, providerId, attempts, uncountedAttempts, receivedAt, orderKey, crashCount]
}
const attemptRow = ({ number, at, durationMs, httpStatus, message, joined, packed, issues }: AttemptRecord) => [
  ...[number, at, durationMs, httpStatus, message, joined],
  ...[packed && [packed.pack, packed.part], issues],
]
const outcomeRow = (outcome: DeliveryOutcome) => {
  const { deliveryId, status, reason, nextAt, isUncounted, isCrash, stepResults, at, tagId, delivery, attempt } =
    outcome
  const flags = (isUncounted ? 1 : 0) + (isCrash ? 2 : 0)
  const states = [deliveryId, status, reason, nextAt, flags, stepResults, at, tagId]
  return [...states, delivery && deliveryRow(delivery), attempt && attemptRow(attempt)]
}

const readDeliveryRow = (row: Json, deliveryId: string, tagId: string): DueDelivery => ({
  ...{ deliveryId, tagId, position: row[0], index: row[1], scriptId: row[2], providerId: row[3] },
  ...{ attempts: row[4], uncountedAttempts: row[5], receivedAt: row[6], nextAt: row[6], priority: 'new' },
  ...(row[7] !== null && { orderKey: row[7] }),
  ...(row[8] !== null && { crashCount: row[8] }),
})
const readAttemptRow = (row: Json, deliveryId: string): AttemptRecord => ({
  ...{ deliveryId, number: row[0], at: row[1], durationMs: row[2] },
  ...(row[3] !== null && { httpStatus: row[3] }),
  ...(row[4] !== null && { message: row[4] }),
  ...(row[5] !== null && { joined: row[5] }),
  ...(row[6] !== null && { packed: { pack: row[6][0], part: row[6][1] } }),
  ...(row[7] !== null && { issues: row[7] }),
})
const readOutcomeRow = (row: Json): DeliveryOutcome => ({
  ...{ deliveryId: row[0], status: row[1] },
  ...(row[2] !== null && { reason: row[2] }),
  ...(row[3] !== null && { nextAt: row[3] }),
  ...(row[4] & 1 && { isUncounted: true as const }),
  ...(row[4] & 2 && { isCrash: true as const }),
  ...(row[5] !== null && { stepResults: row[5].map((each: string | null) => each ?? undefined) }),
  ...(row[6] !== null && { at: row[6] }),
  ...(row[7] !== null && { tagId: row[7] }),
  ...(row[8] !== null && { delivery: readDeliveryRow(row[8], row[0], row[7]) }),
  ...(row[9] !== null && { attempt: readAttemptRow(row[9], row[0]) }),
})

const hexOf = (keys: readonly Uint8Array[] | undefined) => keys?.map((key) => Buffer.from(key).toString('hex'))
const bytesOf = (keys: readonly string[]) => keys.map((key) => new Uint8Array(Buffer.from(key, 'hex')))
const userRow = ({ user: { sealed: _, ...user }, lookupKeys: keys = {}, basedOn }: UserWrite) => {
  const { claims, confirmed, customs, ...rest } = keys
  const hex = { claims: hexOf(claims), confirmed: hexOf(confirmed), customs: hexOf(customs) }
  return { ...user, basedOn, keys: { ...rest, ...hex } }
}
function readUserRow({ basedOn, keys, ...user }: Json, sealed: Uint8Array): UserWrite {
  const { claims, confirmed, customs, ...rest } = keys
  const lists = Object.entries({ claims, confirmed, customs }).filter(([, list]) => list !== undefined)
  const lookupKeys = { ...rest, ...Object.fromEntries(lists.map(([name, list]) => [name, bytesOf(list)])) }
  return { user: { ...user, sealed }, lookupKeys, ...(basedOn !== undefined && { basedOn }) }
}

/** Encodes a change as a record of the log. */
export function encodeRecord(record: JournalRecord): Encoded {
  if ('plan' in record) return pack(kinds.plan, record.plan.map(eventRow))
  if ('begin' in record) return pack(kinds.begin, record.begin)
  if ('users' in record) {
    const sealed = record.users.map(({ user }) => user.sealed)
    return pack(kinds.users, record.users.map(userRow), sealed)
  }
  const packs = record.packs.map(({ tagId, failed, at }) => ({ tagId, failed, at }))
  const sealed = record.packs.map((each) => each.sealed)
  return pack(kinds.settle, { outcomes: record.settle.map(outcomeRow), packs }, sealed)
}

/** Reads a record of the log. Throws if it is invalid. */
export function decodeRecord(kind: number, body: Uint8Array): JournalRecord {
  const { json: value, parts } = unpack(body)
  switch (kind) {
    case kinds.plan:
      return { plan: value.map(readEventRow) }
    case kinds.begin:
      return { begin: value }
    case kinds.users:
      return { users: value.map((each: unknown, at: number) => readUserRow(each, parts[at]!)) }
    case kinds.settle:
      return {
        settle: value.outcomes.map(readOutcomeRow),
        packs: value.packs.map((each: object, at: number) => ({ ...each, sealed: parts[at]! })),
      }
    default:
      throw new Error(`a record of the journal has the unknown kind ${kind}`)
  }
}
