import { randomBytes } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { DeploymentChanges } from '#contract/deployment.ts'
import type { HookError } from '#contract/errorObject.ts'
import { badRequest } from '#contract/fault.ts'
import type { Hook, HookKind } from '#contract/hook.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { fairQueue, QueueFull } from '#kit/fairQueue.ts'
import { fullDate } from '#kit/fullDate.ts'
import { newId } from '#kit/id.ts'
import { tracedSend } from '#kit/trace.ts'
import type { SendOptions, SendRequest, SendResult } from '#provider/engine/send.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import type { HookRecord, Store } from '#store/store.ts'

/** `send` must have the time limits of `hookLimits`. */
export type HookDeps = {
  environment: EnvironmentName
  clock: Pick<Clock, 'now'>
  keys: Keyring
  store: Pick<Store, 'hooks'>
  send: SendRequest
}

export const hookLimits = { connectMs: 3_000, headersMs: 5_000, totalMs: 5_000 } satisfies SendOptions['limits']
/** The highest value of the setting `hooksPerTeam`. */
const maxHooks = 200

/** The data of a `deployment.pending` message, about a deployment that is to go live. */
type PendingDeployment = {
  teamId: string
  tagId: string
  number: number
  by: string
  changes: DeploymentChanges
}

const hookAad = ({ teamId, hookId }: Pick<HookRecord, 'teamId' | 'hookId'>) => JSON.stringify(['hook', teamId, hookId])

const openHookSecret = (hook: HookRecord, keys: Keyring) =>
  `whsec_${keys.team(hook.teamId).unwrapKey(hook.sealedSecret, hookAad(hook)).toString('base64')}`

/** Parses the address of a hook. The outbound guard checks it again at every call. Throws badRequest. */
export function parseHookUrl(text: string): string {
  const url = URL.parse(text)
  const isGood = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
  if (!isGood)
    throw badRequest({ path: 'url', message: 'is not a URL: write, for example, https://ci.example.com/aglet' })
  return url.href
}

/** A new hook and the secret that signs its messages. The secret is shown only once. Throws badRequest. */
export function newHook(
  teamId: string,
  url: string,
  { keys, clock }: Pick<HookDeps, 'keys' | 'clock'>,
  kind: HookKind = 'deploy',
): { row: HookRecord; secret: string } {
  const createdAt = clock.now()
  const owner = { hookId: newId('hook', createdAt), teamId }
  const secret = randomBytes(32)
  const sealedSecret = keys.team(teamId).wrapKey(secret, hookAad(owner))
  return {
    row: { ...owner, kind, url: parseHookUrl(url), sealedSecret, createdAt },
    secret: `whsec_${secret.toString('base64')}`,
  }
}

/** A hook as the API returns it. */
export const showHook = ({ hookId, kind, url, createdAt }: HookRecord): Hook => ({
  hookId,
  kind,
  url,
  createdAt: fullDate(createdAt),
})

/** The objection of a hook; undefined if it answered with 2xx. */
function findObjection(answer: SendResult): string | undefined {
  if ('failed' in answer) return answer.message
  return answer.status >= 200 && answer.status < 300 ? undefined : `The hook responded with ${answer.status}.`
}

/** A message to a hook. `id` stays the same in retries. */
type HookMessage = { id: string; type: string; data: object }

/** Sends a message to a hook in a signed POST. Returns its objection; undefined if it answered with 2xx. */
export async function callHook(
  hook: HookRecord,
  { id, type, data }: HookMessage,
  { clock, environment, keys, send }: Pick<HookDeps, 'clock' | 'environment' | 'keys' | 'send'>,
): Promise<string | undefined> {
  const now = clock.now()
  const request = toWireRequest(
    {
      url: hook.url,
      json: { type, timestamp: new Date(now).toISOString(), data: { environment, ...data } },
      sign: { standardWebhooks: openHookSecret(hook, keys), id },
    },
    now,
  )
  return findObjection(await tracedSend(request, true, (sent) => send(sent, 'customer')))
}

/**
 * An address that does not answer takes five seconds, which must not delay the team's other addresses or other teams.
 */
const deployTurns = fairQueue({
  parallel: 64,
  parallelPerLane: 10,
  parallelPerKey: 4,
  maxPerLane: maxHooks,
  maxPerKey: maxHooks,
})

async function askHook(hook: HookRecord, pending: PendingDeployment, deps: HookDeps): Promise<HookError[]> {
  const hookMessage = { id: newId('msg', deps.clock.now()), type: 'deployment.pending', data: pending }
  const turn = { lane: pending.teamId, key: new URL(hook.url).host }
  const message = await deployTurns
    .run(turn, () => callHook(hook, hookMessage, deps))
    .catch((error) => {
      if (error instanceof QueueFull) return 'Too many hook calls are waiting. Deploy again later.'
      throw error
    })
  return message === undefined ? [] : [{ message, url: hook.url }]
}

export async function findHooks(
  kind: HookKind,
  teamId: string,
  { store }: Pick<HookDeps, 'store'>,
): Promise<HookRecord[]> {
  const { rows } = await store.hooks(teamId, { limit: maxHooks })
  return rows.filter((hook) => hook.kind === kind)
}

/** Asks every deploy hook of the team, and returns the objections. The teams take turns. */
export async function askDeployHooks(pending: PendingDeployment, deps: HookDeps): Promise<HookError[]> {
  const hooks = await findHooks('deploy', pending.teamId, deps)
  return (await Promise.all(hooks.map((hook) => askHook(hook, pending, deps)))).flat()
}
