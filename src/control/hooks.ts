import { holderOf, refuseEscalation } from '#account/privilege.ts'
import { fault } from '#contract/fault.ts'
import type { HookKind } from '#contract/hook.ts'
import { limitReached } from '#contract/limitReached.ts'
import { operations } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'
import type { Answer } from '#http/bind.ts'
import { makeHook, readHookUrl, showHook } from '#script/hook.ts'
import { refuseUncallable } from '#script/hookAddress.ts'
import type { HookRecord } from '#store/store.ts'
import { pageOf } from './page.ts'
import { save } from './save.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

/** Hooks belong to the team, so a change of one is in no tag's turn. */
const turnOf = (teamId: string) => `${teamId} hooks`

/** What the audit tells of a hook: who may read that need not know a key that stands in the address. */
const told = ({ kind, url }: Pick<HookRecord, 'kind' | 'url'>) => ({ kind, host: new URL(url).host })

/** What a hook of each kind is told, its owner must be allowed to read: deployments, or the names of scripts. */
const scopesTold: Readonly<Record<HookKind, readonly Scope[]>> = {
  deploy: operations.listDeployments.access,
  alert: operations.listScripts.access,
}

export const createHook: Of<'createHook'> = async ({ body, ...who }, on) => {
  const { teamId } = who.access
  const attempt = { what: 'createHook', teamId }
  await refuseEscalation(on, scopesTold[body.kind ?? 'deploy'], holderOf(who.access, who.from), attempt)
  await refuseUncallable(readHookUrl(body.url), on.vetAddress)
  const { row, secret } = makeHook(teamId, body.url, on, body.kind)
  const { hookId, kind, url } = row
  return inTurn(turnOf(teamId), async () => {
    const { hooksPerTeam } = on.limits
    const { rows } = await on.store.hooks(teamId, { limit: hooksPerTeam })
    if (rows.length >= hooksPerTeam) throw limitReached('tooManyHooks', hooksPerTeam)
    const added = [{ add: 'hook' as const, row }]
    await save(on, who, { what: 'createHook', object: hookId, after: told({ kind, url }), rows: added })
    return { hookId, url, secret }
  })
}

export const listHooks: Of<'listHooks'> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.hooks(access.teamId, pageOf(query))
  return { hooks: rows.map(showHook), ...(next !== undefined && { next }) }
}

export const deleteHook: Of<'deleteHook'> = async ({ params: { hookId }, ...who }, on) => {
  const { teamId } = who.access
  return inTurn(turnOf(teamId), async () => {
    const hook = await on.store.hook(hookId)
    if (hook?.teamId !== teamId) throw fault('hookUnknown')
    const rows = [{ drop: 'hook' as const, hookId }]
    await save(on, who, { what: 'deleteHook', object: hookId, before: told(hook), rows })
    return { hookId }
  })
}
