import type { Keyring } from '#account/keyring.ts'
import type { EventTaken, TagEvent } from '#contract/event.ts'
import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { type ReadEvent, readBody } from '#event/read.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import type { Clock } from '#kit/clock.ts'
import { newId, newUserId } from '#kit/id.ts'
import type { Job } from '#sandbox/job.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
import { noCaptures } from '#user/capture.ts'
import { type NamedUser, nameUser } from '#user/name.ts'
import type { People } from '#user/people.ts'
import { learn, saidIn } from '#user/profile.ts'

export type WebhookWorld = {
  stream: Pick<Stream, 'append'>
  people: Pick<People, 'get' | 'emailKey' | 'ownerOf' | 'byCustom' | 'change'>
  keys: Keyring
  clock: Pick<Clock, 'now'>
}

/** Which script runs; `makers` where it runs for an event that code made: the scripts that it came from, the first first. */
export type Running = { tag: Pick<Snapshot, 'tagId' | 'teamId'>; scriptId: string; makers?: readonly string[] }

/** An event that code made, of an event that code made, … : so often at most. */
const deepest = 5

/** What a webhook finds in `params` besides the request. What these throw is told to the code by its message. */
export const webhookCalls = (of: Running, on: WebhookWorld): NonNullable<Job['calls']> => ({
  handleTag: (payload, options) => inWords(() => handleTag(payload, Object(options).userId, of, on)),
  getUserByUserId: async (userId) => ((await on.people.get({ tag: of.tag, userId: `${userId}` })) ? { userId } : null),
  async getUsersByEmail(email) {
    const found = await on.people.ownerOf(of.tag, on.people.emailKey(of.tag, `${email}`))
    return found ? [{ userId: found.userId }] : null
  },
  async getUsersByCustomData(key, value) {
    const userIds = await on.people.byCustom(of.tag, `${key}`, value)
    return userIds.length > 0 ? userIds.map((userId) => ({ userId })) : null
  },
  saveUserCustomData: (userId, key, value) => inWords(() => save({ userId, key, value }, of, on)),
})

/** A fault in words that code can read: what is wrong, and where. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault)) throw new Error('This cannot be done now: try again later.')
    throw new Error(wordsOf((error.attributes?.issues as readonly Issue[] | undefined) ?? []) || error.message)
  }
}

const wordsOf = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; ')

/** As `POST /tag` takes events, of a caller who is trusted: the customer's own code. Resolves when they are on disk. */
async function handleTag(payload: unknown, userId: unknown, of: Running, on: WebhookWorld) {
  const body = Buffer.from(JSON.stringify(payload ?? null))
  const { isArray, events } = readBody(body, on.clock.now())
  const named = nameMade(userId)
  const taken = events.flatMap(({ event }) => event ?? [])
  const userIds = isArray && !named.presented ? taken.map(newUserId) : undefined
  const fresh = await keep(taken, { ...named, ...(userIds && { userIds }) }, of, on)
  let place = 0
  const results = events.map((each): EventTaken => {
    if (!each.event) return rejected(each, named.userId)
    const whose = userIds?.[place] ?? named.userId
    return { eventId: each.event.eventId, userId: whose, status: fresh[place++] ? 'accepted' : 'duplicate' }
  })
  return isArray ? results : results[0]
}

const rejected = ({ eventId, issues }: Extract<ReadEvent, { event?: never }>, userId: string): EventTaken => ({
  eventId,
  userId,
  status: 'rejected',
  message: wordsOf(issues),
})

function nameMade(userId: unknown): NamedUser {
  const named = nameUser({
    header: userId === undefined || userId === null ? undefined : `${userId}`,
    cookie: undefined,
    query: '',
  })
  if (userId && !named.presented) throw new Fault('badRequest', { message: 'The userId is not of the form of one.' })
  return named
}

type Whose = Pick<EventContext, 'userId' | 'presented' | 'userIds' | 'kind'>

/** Keeps events durably, and says for each whether it is fresh. None of them goes back to a script that made it. */
async function keep(
  events: readonly TagEvent[],
  whose: Whose,
  { tag, scriptId, makers = [] }: Running,
  on: WebhookWorld,
) {
  if (makers.length >= deepest)
    throw new Fault('loopRefused', { message: `Events are made of events at most ${deepest} deep.` })
  if (events.length === 0) return []
  const { tagId, teamId } = tag
  const context: EventContext = {
    ...whose,
    tagId,
    teamId,
    trusted: true,
    receivedAt: on.clock.now(),
    makers: [...makers, scriptId],
  }
  const body = Buffer.from(JSON.stringify(events))
  const eventIds = events.map(({ eventId }) => eventId)
  const payload = sealRecord([{ context, body }], tag, on.keys)
  return on.stream.append({ tagId, payload, ...dedupKeys(eventIds, context, on.keys) })
}

/** As `POST /user` stores a key of a user: it flows to the channels that take users, and is known here at once. */
async function save(said: { userId: unknown; key: unknown; value: unknown }, of: Running, on: WebhookWorld) {
  const { key, value } = said
  const { userId, presented } = nameMade(said.userId)
  if (!presented) throw new Fault('badRequest', { message: 'saveUserCustomData takes the id of a user first.' })
  if (typeof key !== 'string' || key === '' || value === undefined || value === null)
    throw new Fault('badRequest', { message: 'saveUserCustomData takes a user id, a key and a value.' })
  const now = on.clock.now()
  const event: TagEvent = { eventName: 'user', eventId: newId('evt', now), timestamp: now, data: { [key]: value } }
  await keep([event], { userId, presented, kind: 'user' }, of, on)
  const told = saidIn(event, noCaptures, 'user')
  const learnt = (known: Parameters<typeof learn>[0]) => learn(known, told, { at: now })
  const { email } = told.keys
  const naming = { key: email ? on.people.emailKey(of.tag, email) : '', isClaimed: true, isConfirmed: true }
  await on.people.change({ tag: of.tag, userId }, learnt, email ? naming : undefined)
  return { userId, status: 'accepted' }
}
