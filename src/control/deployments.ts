import type { Deployment } from '#contract/deployment.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { providers } from '#providers/index.ts'
import { diffSnapshots } from '#script/deploymentChanges.ts'
import { diffValues, type OpenShown } from '#script/deploymentValues.ts'
import { openShownOf } from '#script/showScript.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { DeploymentRecord, ScriptRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readAllPages, toPageRequest } from './pagination.ts'
import { type ApiCaller, type SaveRequest, saveChange } from './saveChange.ts'
import { withTagLock } from './tagMutex.ts'
import { requireTag } from './tags.ts'

type AnswerFor<Id extends keyof typeof operations> = OperationAnswer<(typeof operations)[Id], ControlDeps>

const toDeployment = (
  { number, createdAt, by, activates, snapshot }: DeploymentRecord,
  before: Snapshot | undefined,
  live: number,
): Deployment => ({
  number,
  at: createdAt,
  by,
  isLive: number === live,
  ...(activates !== undefined && { activates }),
  changes: diffSnapshots(before, snapshot),
})

export const listDeployments: AnswerFor<'listDeployments'> = async ({ params, query, access }, deps) => {
  const { tagId } = await requireTag(deps, access, params.tagId)
  const live = (await deps.store.deployment(tagId))?.number ?? 0
  const { rows, next } = await deps.store.history(tagId, toPageRequest(query))
  const last = rows.at(-1)
  const older = last && (await deps.store.deployment(tagId, last.number - 1))
  const deployments = rows.map((row, at) => toDeployment(row, (rows[at + 1] ?? older)?.snapshot, live))
  return { deployments, ...(next !== undefined && { next }) }
}

/** Opens the values of a team's scripts that the API shows. */
export const openShown =
  (deps: ControlDeps, teamId: string): OpenShown =>
  (script, ...variable) =>
    openShownOf(providers[script.providerId], teamId, deps)(script, ...variable)

export const readDeployment: AnswerFor<'readDeployment'> = async ({ params: { tagId, number }, access }, deps) => {
  await requireTag(deps, access, tagId)
  const record = Number.isSafeInteger(number) ? await deps.store.deployment(tagId, number) : undefined
  if (!record) throw fault('deploymentUnknown')
  const live = (await deps.store.deployment(tagId))?.number ?? 0
  const before = (await deps.store.deployment(tagId, number - 1))?.snapshot
  const values = await diffValues(before, record.snapshot, openShown(deps, access.teamId))
  return { ...toDeployment(record, before, live), values }
}

/** All saved scripts of a tag, oldest first. */
export const readSavedScripts = async (deps: ControlDeps, tagId: string): Promise<ScriptRecord[]> =>
  (await readAllPages((page) => deps.store.scripts(tagId, page))).reverse()

async function saveAndDeploy(
  deps: ControlDeps,
  who: ApiCaller,
  saving: Omit<SaveRequest, 'object' | 'rows'> & { tagId: string },
): Promise<Deployment> {
  const deployed = await saveChange(deps, who, { ...saving, object: saving.tagId, rows: [] })
  if (!deployed) throw new Error(`The change of ${saving.tagId} made no deployment.`)
  const { deployment, before } = deployed
  return toDeployment(deployment, before, deployment.number)
}

export const deployTag: AnswerFor<'deployTag'> = async ({ params: { tagId }, ...who }, deps) => {
  await requireTag(deps, who.access, tagId)
  return withTagLock(tagId, async () => {
    const publish = await requireTag(deps, who.access, tagId)
    const scripts = await readSavedScripts(deps, tagId)
    return saveAndDeploy(deps, who, { what: 'deployTag', tagId, live: { change: { publish, scripts } } })
  })
}

/** The snapshot of a deployment. Throws deploymentUnknown. */
async function readSnapshot(deps: ControlDeps, tagId: string, number: number): Promise<Snapshot> {
  const deployment = Number.isSafeInteger(number) ? await deps.store.deployment(tagId, number) : undefined
  if (!deployment) throw fault('deploymentUnknown')
  return deployment.snapshot
}

export const activateDeployment: AnswerFor<'activateDeployment'> = async (
  { params: { tagId, number }, ...who },
  deps,
) => {
  await requireTag(deps, who.access, tagId)
  return withTagLock(tagId, async () => {
    await requireTag(deps, who.access, tagId)
    const activate = await readSnapshot(deps, tagId, number)
    const saved = await readSavedScripts(deps, tagId)
    const paused = new Set(saved.filter((script) => script.paused).map(({ scriptId }) => scriptId))
    const live = { change: { activate, paused }, activates: number }
    return saveAndDeploy(deps, who, { what: 'activateDeployment', after: { activates: number }, tagId, live })
  })
}
