import { randomBytes } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { DeploymentChanges } from '#contract/deployment.ts'
import { badRequest, type HookError } from '#contract/fault.ts'
import type { Hook, HookKind } from '#contract/hook.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import type { SendOptions, SendRequest, SendResult } from '#provider/engine/send.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import type { HookRecord, Store } from '#store/store.ts'

/** What asking stands on. `send` gives up after `hookLimits`. */
export type HookWorld = {
  environment: EnvironmentName
  clock: Pick<Clock, 'now'>
  keys: Keyring
  store: Pick<Store, 'hooks'>
  send: SendRequest
}

/** How long a hook has to answer. */
export const hookLimits = { connectMs: 3_000, headersMs: 5_000, totalMs: 5_000 } satisfies SendOptions['limits']
/** As many as the setting of `hooksPerTeam` lets a team have. */
const mostHooks = 200

/** What a hook is told of a deployment that is about to go live. */
export type Pending = { teamId: string; tagId: string; number: number; by: string; changes: DeploymentChanges }

const bindOf = ({ teamId, hookId }: Pick<HookRecord, 'teamId' | 'hookId'>) => JSON.stringify(['hook', teamId, hookId])

const secretOf = (hook: HookRecord, keys: Keyring) =>
  `whsec_${keys.team(hook.teamId).unwrapKey(hook.sealedSecret, bindOf(hook)).toString('base64')}`

/** An address that a hook can have; the outbound guard looks at it again whenever it is asked. Throws badRequest. */
export function readHookUrl(text: string): string {
  const url = URL.parse(text)
  const isGood = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
  if (!isGood)
    throw badRequest({ path: 'url', message: 'is not an address: write it like https://ci.example.com/aglet' })
  return url.href
}

/** A new hook and the secret it is signed with, which nobody is shown again. Throws badRequest. */
export function makeHook(
  teamId: string,
  url: string,
  { keys, clock }: Pick<HookWorld, 'keys' | 'clock'>,
  kind: HookKind = 'deploy',
): { row: HookRecord; secret: string } {
  const createdAt = clock.now()
  const of = { hookId: newId('hook', createdAt), teamId }
  const secret = randomBytes(32)
  const sealedSecret = keys.team(teamId).wrapKey(secret, bindOf(of))
  return {
    row: { ...of, kind, url: readHookUrl(url), sealedSecret, createdAt },
    secret: `whsec_${secret.toString('base64')}`,
  }
}

/** A hook as it is shown. */
export const showHook = ({ hookId, kind, url, createdAt }: HookRecord): Hook => ({
  hookId,
  kind,
  url,
  createdAt: fullDate(createdAt),
})

/** What a hook said that is no yes; undefined when it agrees. */
function objection(answer: SendResult): string | undefined {
  if ('failed' in answer) return answer.message
  return answer.status >= 200 && answer.status < 300 ? undefined : `It answered ${answer.status}.`
}

/** What a hook is told. `id` stays the same when it is told again. */
export type Message = { id: string; type: string; data: object }

/** Tells a hook by a signed POST, and gives what it objected to; undefined when it answered 2xx. */
export async function callHook(
  hook: HookRecord,
  { id, type, data }: Message,
  { clock, environment, keys, send }: Pick<HookWorld, 'clock' | 'environment' | 'keys' | 'send'>,
): Promise<string | undefined> {
  const now = clock.now()
  const request = toWireRequest(
    {
      url: hook.url,
      json: { type, timestamp: new Date(now).toISOString(), data: { environment, ...data } },
      sign: { standardWebhooks: secretOf(hook, keys), id },
    },
    now,
  )
  return objection(await send(request, 'customer'))
}

async function askOne(hook: HookRecord, pending: Pending, on: HookWorld): Promise<HookError[]> {
  const asked = { id: newId('msg', on.clock.now()), type: 'deployment.pending', data: pending }
  const message = await callHook(hook, asked, on)
  return message === undefined ? [] : [{ message, url: hook.url }]
}

/** The hooks of a team that are there for this. */
export async function hooksFor(
  kind: HookKind,
  teamId: string,
  { store }: Pick<HookWorld, 'store'>,
): Promise<HookRecord[]> {
  const { rows } = await store.hooks(teamId, { limit: mostHooks })
  return rows.filter((hook) => hook.kind === kind)
}

/** Asks every deploy hook of the team, all at once, and gives what those said that do not agree. */
export async function askHooks(pending: Pending, on: HookWorld): Promise<HookError[]> {
  const hooks = await hooksFor('deploy', pending.teamId, on)
  return (await Promise.all(hooks.map((hook) => askOne(hook, pending, on)))).flat()
}
