import { accessHolder, refuseEscalation } from '#account/privilege.ts'
import { fault } from '#contract/fault.ts'
import type { HookKind } from '#contract/hook.ts'
import { limitReached } from '#contract/limitReached.ts'
import { operations } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'
import { newHook, parseHookUrl, showHook } from '#script/hook.ts'
import { requireCallableAddress } from '#script/hookAddress.ts'
import type { HookRecord } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { saveChange } from './saveChange.ts'

/** Hooks belong to a team, so their changes lock the team's hooks and no tag. */
const hooksLockKey = (teamId: string) => `${teamId} hooks`

/** The audit shows only the host: the path or query of the URL may contain a key. */
const hookAuditState = ({ kind, url }: Pick<HookRecord, 'kind' | 'url'>) => ({ kind, host: new URL(url).host })

/** The scopes that read what a hook of each kind receives. The caller who registers the hook must have them. */
const requiredScopes: Readonly<Record<HookKind, readonly Scope[]>> = {
  deploy: operations.listDeployments.access,
  alert: operations.listScripts.access,
}

export const createHook: AnswerFor<'createHook'> = async ({ body, ...who }, deps) => {
  const { teamId } = who.access
  const attempt = { what: 'createHook', teamId }
  await refuseEscalation(deps, requiredScopes[body.kind ?? 'deploy'], accessHolder(who.access, who.from), attempt)
  await requireCallableAddress(parseHookUrl(body.url), deps.vetAddress)
  const { row, secret } = newHook(teamId, body.url, deps, body.kind)
  const { hookId, kind, url } = row
  return withChangeLock(hooksLockKey(teamId), async () => {
    const { hooksPerTeam } = deps.limits
    const { rows } = await deps.store.hooks(teamId, { limit: hooksPerTeam })
    if (rows.length >= hooksPerTeam) throw limitReached('tooManyHooks', hooksPerTeam)
    const added = [{ add: 'hook' as const, row }]
    await saveChange(deps, who, {
      what: 'createHook',
      object: hookId,
      after: hookAuditState({ kind, url }),
      rows: added,
    })
    return { hookId, url, secret }
  })
}

export const listHooks: AnswerFor<'listHooks'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.hooks(access.teamId, toPageRequest(query))
  return { hooks: rows.map(showHook), ...(next !== undefined && { next }) }
}

export const deleteHook: AnswerFor<'deleteHook'> = async ({ params: { hookId }, ...who }, deps) => {
  const { teamId } = who.access
  return withChangeLock(hooksLockKey(teamId), async () => {
    const hook = await deps.store.hook(hookId)
    if (hook?.teamId !== teamId) throw fault('hookUnknown')
    const rows = [{ drop: 'hook' as const, hookId }]
    await saveChange(deps, who, { what: 'deleteHook', object: hookId, before: hookAuditState(hook), rows })
    return { hookId }
  })
}
