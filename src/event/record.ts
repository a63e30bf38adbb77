import type { Keyring } from '#account/keyring.ts'

/** What the door knows of a request, kept with the body: all that is decided later is decided from this. */
export type EventContext = {
  /** What the body is; absent: events for the channels. `user`: what became known of a person. `consent`: what it agreed to. */
  kind?: 'user' | 'consent'
  tagId: string
  teamId: string
  /** Who the events are of; where `userIds` stands, who the first one is of. Read it by `userOf`. */
  userId: string
  /** One for each event of the body, where a server sent several people's events in one body and named none of them. */
  userIds?: readonly string[]
  /** The id came with the call; otherwise it was made for it. */
  presented: boolean
  /** The call bore an access token with `event:write`. */
  trusted: boolean
  receivedAt: number
  ip?: string
  userAgent?: string
  origin?: string
  /** `Sec-GPC: 1` */
  gpc?: true
  /** A plugin made it of another event. */
  made?: true
  /** The places of the events that were erased: nothing but their names are left of them. */
  erased?: readonly number[]
}

export type EventRecord = { context: EventContext; body: unknown }

/** Context and raw body, sealed under the team's key: `[4 bytes length of the context][context JSON][body JSON]`. */
export function sealRecord(context: EventContext, body: Uint8Array, keys: Keyring): Uint8Array {
  const head = JSON.stringify(context)
  const headBytes = Buffer.byteLength(head)
  const plain = Buffer.allocUnsafe(4 + headBytes + body.length)
  plain.writeUInt32LE(headBytes, 0)
  plain.write(head, 4)
  plain.set(body, 4 + headBytes)
  return keys.team(context.teamId).sealEvent(plain, context.tagId)
}

/** The record of a payload; its body is the JSON that came, parsed. */
export function openRecord(payload: Uint8Array, tagId: string, teamId: string, keys: Keyring): EventRecord {
  const plain = keys.team(teamId).openEvent(payload, tagId)
  const split = 4 + plain.readUInt32LE(0)
  return {
    context: JSON.parse(plain.toString('utf8', 4, split)) as EventContext,
    body: JSON.parse(plain.toString('utf8', split)) as unknown,
  }
}

/** The events of a body: an array as it is, a single one as an array of one. */
export const eventsOf = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body])

/** Who the event at this place of the body is of. */
export const userOf = ({ userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>, index: number): string =>
  userIds?.[index] ?? userId
