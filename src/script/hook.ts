import { randomBytes } from 'node:crypto'
import type { Keyring } from '#account/keyring.ts'
import type { DeploymentChanges } from '#contract/deployment.ts'
import { badRequest, type HookError } from '#contract/fault.ts'
import type { Hook } from '#contract/hook.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import type { Answer, SendOptions, SendRequest } from '#provider/send.ts'
import { wireOf } from '#provider/wire.ts'
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
export const hooksPerTeam = 10

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
): { row: HookRecord; secret: string } {
  const createdAt = clock.now()
  const of = { hookId: newId('hook', createdAt), teamId }
  const secret = randomBytes(32)
  const sealedSecret = keys.team(teamId).wrapKey(secret, bindOf(of))
  return {
    row: { ...of, url: readHookUrl(url), sealedSecret, createdAt },
    secret: `whsec_${secret.toString('base64')}`,
  }
}

/** A hook as it is shown. */
export const showHook = ({ hookId, url, createdAt }: HookRecord): Hook => ({
  hookId,
  url,
  createdAt: fullDate(createdAt),
})

/** What a hook said that stops a deployment; undefined when it agrees. */
function objection(answer: Answer): string | undefined {
  if ('failed' in answer) return answer.message
  return answer.status >= 200 && answer.status < 300 ? undefined : `It answered ${answer.status}.`
}

async function askOne(hook: HookRecord, pending: Pending, on: HookWorld): Promise<HookError[]> {
  const now = on.clock.now()
  const request = wireOf(
    {
      url: hook.url,
      json: {
        type: 'deployment.pending',
        timestamp: new Date(now).toISOString(),
        data: { environment: on.environment, ...pending },
      },
      sign: { standardWebhooks: secretOf(hook, on.keys), id: newId('msg', now) },
    },
    now,
  )
  const message = objection(await on.send(request, 'customer'))
  return message === undefined ? [] : [{ message, url: hook.url }]
}

/** Asks every hook of the team, all at once, and gives what those said that do not agree. */
export async function askHooks(pending: Pending, on: HookWorld): Promise<HookError[]> {
  const { rows } = await on.store.hooks(pending.teamId, { limit: hooksPerTeam })
  return (await Promise.all(rows.map((hook) => askOne(hook, pending, on)))).flat()
}
