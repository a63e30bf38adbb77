import type { TeamAccess } from '#account/teamAccess.ts'
import type { OperationId } from '#contract/operations.ts'
import { type DeployRequest, type DeployResult, deploy } from '#script/deploy.ts'
import type { AuditState, StoreChange } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'

/** The token that requests a change, and the IP address of the request. */
export type ApiCaller = { access: TeamAccess; from: string }

export type SaveRequest = {
  what: OperationId
  /** The id of the changed object; `before` and `after` are its states in the audit. */
  object: string
  before?: AuditState
  after?: AuditState
  /** The tag to deploy; required with `live`. */
  tagId?: string
  rows: readonly StoreChange[]
  /** The change that is deployed in the same write; absent for a draft. */
  live?: Omit<DeployRequest, 'by' | 'saved'>
}

/**
 * Saves a change, its audit row and its deployment (with `live`) in one write. Throws hookFailed; nothing is saved
 * then.
 */
export async function saveChange(
  deps: ControlDeps,
  { access, from }: ApiCaller,
  saving: SaveRequest,
): Promise<DeployResult | undefined> {
  const { what, object, before, after, tagId, rows, live } = saving
  const { by, teamId } = access
  const row = {
    at: deps.clock.now(),
    by,
    what,
    teamId,
    object,
    from,
    ...(before && { before }),
    ...(after && { after }),
  }
  const saved: StoreChange[] = [...rows, { add: 'audit', row }]
  const deployed = live && tagId ? await deploy(deps, tagId, { ...live, by, saved }) : undefined
  if (!deployed) await deps.store.write(saved)
  deps.log({ message: 'changed', what, by, teamId, object, number: deployed?.deployment.number })
  return deployed
}

/** The errors of the hooks that objected to a change which they cannot prevent, as texts. */
export const hookObjections = (deployed: DeployResult | undefined): string[] =>
  (deployed?.hookErrors ?? []).map(({ url, message }) => `${url}: ${message}`)
