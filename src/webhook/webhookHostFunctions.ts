import type { Keyring } from '#account/keyring.ts'
import type { EventResult, TagEvent } from '#contract/event.ts'
import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { type BodyEvent, parseBody } from '#event/parseBody.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import type { Clock } from '#kit/clock.ts'
import { newId, newUserId } from '#kit/id.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { Job } from '#sandbox/job.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
import { type IdentifiedUser, identifyCaller } from '#user/callerIdentity.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { readUserFacts, updateProfile } from '#user/profile.ts'
import type { Profiles } from '#user/profiles.ts'

export type WebhookDeps = {
  stream: Pick<Stream, 'append'>
  people: Pick<Profiles, 'get' | 'emailKey' | 'ownerOf' | 'byCustom' | 'change'>
  keys: Keyring
  clock: Pick<Clock, 'now'>
  /** Events from code count against the rate limits of the tag and its team. */
  intakeRate: IntakeRate
}

/** The script that runs. `originScriptIds`: the scripts whose code created its event, the first one first. */
export type WebhookRun = {
  tag: Pick<Snapshot, 'tagId' | 'teamId'>
  scriptId: string
  originScriptIds?: readonly string[]
}

/** The maximum depth of events that code creates while it handles an event that code created. */
const maxOriginDepth = 5

/** The host functions that a webhook gets in `params`. The code gets the messages of errors that they throw. */
export const webhookHostFunctions = (run: WebhookRun, deps: WebhookDeps): NonNullable<Job['calls']> => ({
  handleTag: (payload, options) => withReadableFaults(() => handleTag(payload, Object(options).userId, run, deps)),
  getUserByUserId: async (userId) =>
    (await deps.people.get({ tag: run.tag, userId: `${userId}` })) ? { userId } : null,
  async getUsersByEmail(email) {
    const owner = await deps.people.ownerOf(run.tag, deps.people.emailKey(run.tag, `${email}`))
    return owner ? [{ userId: owner.userId }] : null
  },
  async getUsersByCustomData(key, value) {
    const userIds = await deps.people.byCustom(run.tag, `${key}`, value)
    return userIds.length > 0 ? userIds.map((userId) => ({ userId })) : null
  },
  saveUserCustomData: (userId, key, value) =>
    withReadableFaults(() => saveUserCustomData({ userId, key, value }, run, deps)),
})

/** Turns a fault into an error whose message says what is wrong and where. Other errors stay hidden from the code. */
async function withReadableFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Fault)) throw new Error('The call failed in the server; try again later.')
    throw new Error(issueText((error.attributes?.issues as readonly Issue[] | undefined) ?? []) || error.message)
  }
}

const issueText = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; ')

/** Accepts events like `POST /tag`, from a trusted caller: the customer's own code. Resolves when they are on disk. */
async function handleTag(payload: unknown, userId: unknown, run: WebhookRun, deps: WebhookDeps) {
  const body = Buffer.from(JSON.stringify(payload ?? null))
  const { isArray, events } = parseBody(body, deps.clock.now())
  deps.intakeRate.takeCall(run.tag, true)
  deps.intakeRate.takeEvents(run.tag, true, events.length - 1)
  const user = identifyUser(userId)
  const accepted = events.flatMap(({ event }) => event ?? [])
  const userIds = isArray && !user.hasExplicitUserId ? accepted.map(newUserId) : undefined
  const isNew = await appendFromCode(accepted, { ...user, ...(userIds && { userIds }) }, run, deps)
  let acceptedIndex = 0
  const results = events.map((each): EventResult => {
    if (!each.event) return rejected(each, user.userId)
    const eventUserId = userIds?.[acceptedIndex] ?? user.userId
    return {
      eventId: each.event.eventId,
      userId: eventUserId,
      status: isNew[acceptedIndex++] ? 'accepted' : 'duplicate',
    }
  })
  return isArray ? results : results[0]
}

const rejected = ({ eventId, issues }: Extract<BodyEvent, { event?: never }>, userId: string): EventResult => ({
  eventId,
  userId,
  status: 'rejected',
  message: issueText(issues),
})

function identifyUser(userId: unknown): IdentifiedUser {
  const user = identifyCaller({
    header: userId === undefined || userId === null ? undefined : `${userId}`,
    cookie: undefined,
    query: '',
  })
  if (userId && !user.hasExplicitUserId)
    throw new Fault('badRequest', { message: 'The userId is not of the form of a user id.' })
  return user
}

type CodeEventUser = Pick<EventContext, 'userId' | 'hasExplicitUserId' | 'userIds' | 'kind'>

/**
 * Appends events to the stream and returns for each whether it is new. An event is not sent to the scripts that it came
 * from.
 */
async function appendFromCode(
  events: readonly TagEvent[],
  user: CodeEventUser,
  { tag, scriptId, originScriptIds = [] }: WebhookRun,
  deps: WebhookDeps,
) {
  if (originScriptIds.length >= maxOriginDepth)
    throw new Fault('loopRefused', { message: `Code may create events from events at most ${maxOriginDepth} deep.` })
  if (events.length === 0) return []
  const { tagId, teamId } = tag
  const context: EventContext = {
    ...user,
    tagId,
    teamId,
    trusted: true,
    receivedAt: deps.clock.now(),
    originScriptIds: [...originScriptIds, scriptId],
  }
  const body = Buffer.from(JSON.stringify(events))
  const eventIds = events.map(({ eventId }) => eventId)
  const payload = sealRecord([{ context, body }], tag, deps.keys)
  return deps.stream.append({ tagId, payload, ...dedupKeys(eventIds, context, deps.keys) })
}

/** Stores a key of a user like `POST /user`: appends a user update for the channels and updates the profile at once. */
async function saveUserCustomData(
  input: { userId: unknown; key: unknown; value: unknown },
  run: WebhookRun,
  deps: WebhookDeps,
) {
  const { key, value } = input
  const { userId, hasExplicitUserId } = identifyUser(input.userId)
  if (!hasExplicitUserId)
    throw new Fault('badRequest', { message: 'saveUserCustomData takes a user id as its first argument.' })
  if (typeof key !== 'string' || key === '' || value === undefined || value === null)
    throw new Fault('badRequest', { message: 'saveUserCustomData takes a user id, a key and a value.' })
  deps.intakeRate.takeCall(run.tag, true)
  const now = deps.clock.now()
  const event: TagEvent = { eventName: 'user', eventId: newId('evt', now), timestamp: now, data: { [key]: value } }
  await appendFromCode([event], { userId, hasExplicitUserId, kind: 'user' }, run, deps)
  const facts = readUserFacts(event, noCaptureRules, 'user')
  const update = (profile: Parameters<typeof updateProfile>[0]) => updateProfile(profile, facts, { at: now })
  const { email } = facts.keys
  const naming = { key: email ? deps.people.emailKey(run.tag, email) : '', isClaimed: true, isConfirmed: true }
  await deps.people.change({ tag: run.tag, userId }, update, email ? naming : undefined)
  return { userId, status: 'accepted' }
}
