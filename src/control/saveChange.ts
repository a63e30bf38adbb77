import type { TeamAccess } from '#account/teamAccess.ts'
import type { OperationId } from '#contract/operations.ts'
import { type DeployRequest, type DeployResult, deploy } from '#script/deploy.ts'
import type { AuditState, StoreChange } from '#store/store.ts'
import { auditStates } from './auditStates.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The access of the caller who requests a change, and the IP address of the request. */
export type ApiCaller = { access: TeamAccess; from: string }

/** One change of an object, with its audit row. */
export type SavedChange = {
  what: OperationId
  /** The id of the changed object; `before` and `after` are its states, of which the audit stores the differences. */
  object: string
  before?: AuditState
  after?: AuditState
  rows: readonly StoreChange[]
}

/** Operations on visitors, whose ids are never logged, because an erasure does not reach the log. */
const ofVisitors: ReadonlySet<OperationId> = new Set(['readUser', 'eraseUser'])

/** What goes live with saved changes. */
type LiveRequest = {
  /** The tag to deploy; required with `live`. */
  tagId?: string
  /** The change that is deployed in the same write; absent for a draft. */
  live?: Omit<DeployRequest, 'by' | 'saved'>
}
export type SaveRequest = SavedChange & LiveRequest

/**
 * Saves changes, their audit rows and, with `live`, their deployment in one write. Throws hookFailed without saving
 * anything.
 */
export async function saveChanges(
  deps: ControlDeps,
  { access, from }: ApiCaller,
  changes: readonly SavedChange[],
  { tagId, live }: LiveRequest,
): Promise<DeployResult | undefined> {
  const { by, teamId } = access
  const at = deps.clock.now()
  const saved = changes.flatMap(({ what, object, before, after, rows }): StoreChange[] => [
    ...rows,
    { add: 'audit', row: { at, by, what, teamId, object, from, ...auditStates({ before, after }) } },
  ])
  const deployed = live && tagId ? await deploy(deps, tagId, { ...live, by, saved }) : undefined
  if (!deployed) await deps.store.write(saved)
  for (const each of saved) {
    if ('put' in each && each.put === 'paused') deps.snapshots.setPaused(each.scriptId, each.paused)
    if ('drop' in each && each.drop === 'script') deps.snapshots.setPaused(each.scriptId, false)
  }
  const number = deployed?.deployment.number
  for (const { what, object } of changes)
    deps.log({ message: 'changed', what, by, teamId, ...(!ofVisitors.has(what) && { object }), number })
  return deployed
}

/** Saves one change, as `saveChanges` does. */
export const saveChange = (deps: ControlDeps, who: ApiCaller, saving: SaveRequest): Promise<DeployResult | undefined> =>
  saveChanges(deps, who, [saving], saving)

/** The errors of hooks that objected to a change that they cannot prevent, as texts. */
export const hookObjections = (deployed: DeployResult | undefined): string[] =>
  (deployed?.hookErrors ?? []).map(({ url, message }) => `${url}: ${message}`)
