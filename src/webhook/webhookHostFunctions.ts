import type { Keyring } from '#account/keyring.ts'
import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { markDuplicates } from '#event/draftResults.ts'
import { type AppendItem, type IngestSource, ingestBody, sealEntry } from '#event/ingest.ts'
import { appendBySlot } from '#event/splitBySlot.ts'
import type { Clock } from '#kit/clock.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { Job } from '#sandbox/job.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
import { type IdentifiedUser, identifyCaller } from '#user/callerIdentity.ts'
import type { CaptureRules } from '#user/captureRules.ts'
import type { Profiles } from '#user/profiles.ts'
import { appendUserUpdate, parseUserKey, toUserEvent } from '#user/userUpdate.ts'

type WebhookDeps = {
  /** The prefix of the user header, for warnings. */
  brand: string
  stream: Pick<Stream, 'append' | 'slotFor'>
  profiles: Pick<Profiles, 'get' | 'find' | 'emailKey' | 'byEmail' | 'ownerOf' | 'byCustom' | 'change'>
  keys: Keyring
  clock: Pick<Clock, 'now'>
  /** Events from code count against the rate limits of the tag and its team. */
  intakeRate: IntakeRate
}

/** The script that runs. `originScriptIds`: the scripts whose code created its event, the first one first. */
type WebhookRun = {
  tag: Pick<Snapshot, 'tagId' | 'teamId'>
  scriptId: string
  originScriptIds?: readonly string[]
  /** The rules by which the tag captures click ids and cookies. */
  captures(): CaptureRules | Promise<CaptureRules>
}

/** The host functions in the `params` of a webhook. Messages of their errors are passed to the code. */
export const webhookHostFunctions = (run: WebhookRun, deps: WebhookDeps): NonNullable<Job['calls']> => ({
  handleTag: (payload, options) => withReadableFaults(() => handleTag(payload, Object(options).userId, run, deps)),
  getUserByUserId: async (userId) =>
    (await deps.profiles.get({ tag: run.tag, userId: `${userId}` })) ? { userId } : null,
  async getUsersByEmail(email) {
    const owner = await deps.profiles.ownerOf(run.tag, deps.profiles.emailKey(run.tag, `${email}`))
    return owner ? [{ userId: owner.userId }] : null
  },
  async getUsersByCustomData(key, value) {
    const userIds = await deps.profiles.byCustom(run.tag, `${key}`, value, true)
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
    if (!(error instanceof Fault)) throw new Error('The call failed on the server. Try again later.')
    throw new Error(issueText((error.attributes?.issues as readonly Issue[] | undefined) ?? []) || error.message)
  }
}

const issueText = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${path || 'the event'} ${message}`).join('; ')

/**
 * Accepts events like `POST /tag` from a trusted caller, because the code is the customer's own. Resolves when they
 * are on disk.
 */
async function handleTag(payload: unknown, userId: unknown, run: WebhookRun, deps: WebhookDeps) {
  const body = Buffer.from(JSON.stringify(payload ?? null))
  const source = sourceOf(run, identifyUser(userId), deps)
  deps.intakeRate.takeCall(run.tag, true)
  const { drafts, item } = ingestBody(body, source, deps)
  if (item) markDuplicates(drafts, await append(item, run, deps))
  const { isArray, results } = drafts
  return isArray ? results : results[0]
}

/** Code counts as a trusted caller. An event is not sent to the scripts that it came from. */
const sourceOf = (
  { tag, scriptId, originScriptIds = [] }: WebhookRun,
  caller: IdentifiedUser,
  { clock }: WebhookDeps,
): IngestSource => ({
  tag,
  caller,
  trusted: true,
  receivedAt: clock.now(),
  originScriptIds: [...originScriptIds, scriptId],
})

const append = (item: AppendItem, { tag }: WebhookRun, { stream, keys }: WebhookDeps) =>
  appendBySlot(item, tag.tagId, stream.slotFor, (part) => stream.append(sealEntry([part], tag, keys)))

function identifyUser(userId: unknown): IdentifiedUser {
  const user = identifyCaller({
    header: userId === undefined || userId === null ? undefined : `${userId}`,
    cookie: undefined,
    query: '',
  })
  if (userId && !user.hasExplicitUserId)
    throw new Fault('badRequest', { message: 'The userId is not a valid user id.' })
  return user
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
    throw new Fault('badRequest', { message: 'The first argument of saveUserCustomData must be a user id.' })
  if (typeof key !== 'string' || key === '' || value === undefined || value === null)
    throw new Fault('badRequest', { message: 'saveUserCustomData requires a user id, a key and a value.' })
  const fields = parseUserKey(Buffer.from(JSON.stringify({ key, value })))
  deps.intakeRate.takeCall(run.tag, true)
  const source = sourceOf(run, { userId, hasExplicitUserId }, deps)
  const event = toUserEvent('user', fields, source.receivedAt)
  await appendUserUpdate(
    { kind: 'user', event, source },
    { ...deps, captures: run.captures, append: (item) => append(item, run, deps) },
  )
  return { userId, status: 'accepted' }
}
