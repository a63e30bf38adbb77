import type { Deployment, DeploymentChanges } from '#contract/deployment.ts'
import { fault } from '#contract/fault.ts'
import { yieldToEventLoop } from '#kit/yieldToEventLoop.ts'
import { providers } from '#providers/index.ts'
import { diffSnapshots } from '#script/deploymentChanges.ts'
import { diffValues, type OpenShown } from '#script/deploymentValues.ts'
import { openShownOf } from '#script/showScript.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { encodeCursor } from '#store/cursor.ts'
import { joinParts } from '#store/snapshotParts.ts'
import type { DeploymentEntry, DeploymentRecord, ScriptRecord } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readAllPages, toPageRequest } from './pagination.ts'
import { type ApiCaller, type SaveRequest, saveChange } from './saveChange.ts'
import { requireTag } from './tags.ts'

const toDeployment = (
  { number, createdAt, by, activates }: Omit<DeploymentRecord, 'snapshot'>,
  changes: DeploymentChanges,
  live: number,
): Deployment => ({
  number,
  at: createdAt,
  by,
  isLive: number === live,
  ...(activates !== undefined && { activates }),
  changes,
})

/** Reading more differing parts at once would block the event loop. */
const partsPerPage = 100

/** A deployment with the parts that differ from the previous one. */
type Difference = { entry: DeploymentEntry; before?: DeploymentEntry; parts: readonly string[] }

/** The changes of each deployment, until the limit of parts is reached; at least one deployment. */
function findDifferences(entries: readonly DeploymentEntry[], count: number): Difference[] {
  const differences: Difference[] = []
  let parts = 0
  for (const [n, entry] of entries.slice(0, count).entries()) {
    const next = entries[n + 1]
    const before = next?.number === entry.number - 1 ? next : undefined
    const differing = [...new Set(entry.parts).symmetricDifference(new Set(before?.parts))]
    parts += differing.length
    if (n > 0 && parts > partsPerPage) break
    differences.push({ entry, ...(before && { before }), parts: differing })
  }
  return differences
}

export const listDeployments: AnswerFor<'listDeployments'> = async ({ params, query, access }, deps) => {
  const { tagId } = await requireTag(deps, access, params.tagId)
  const live = (await deps.store.deployment(tagId))?.number ?? 0
  const { limit, ...page } = toPageRequest(query)
  // One more than shown, to compare with the last one.
  const { rows } = await deps.store.history(tagId, { ...page, limit: limit + 1 })
  const differences = findDifferences(rows, limit)
  const deployments: Deployment[] = []
  for (const { entry, before, parts } of differences) {
    const values = await deps.store.snapshotParts(tagId, parts)
    const [older, newer] = [before && joinParts(before, values), joinParts(entry, values)]
    deployments.push(toDeployment(entry, diffSnapshots(older, newer), live))
    await yieldToEventLoop()
  }
  const last = differences.at(-1)?.entry
  return {
    deployments,
    ...(last && differences.length < rows.length && { next: encodeCursor(last.number) }),
  }
}

/** Decrypts the values of a team's scripts that the API shows. */
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
  return { ...toDeployment(record, diffSnapshots(before, record.snapshot), live), values }
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
  return toDeployment(deployment, diffSnapshots(before, deployment.snapshot), deployment.number)
}

export const deployTag: AnswerFor<'deployTag'> = async ({ params: { tagId }, ...who }, deps) => {
  await requireTag(deps, who.access, tagId)
  return withChangeLock(tagId, async () => {
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
  return withChangeLock(tagId, async () => {
    await requireTag(deps, who.access, tagId)
    const activate = await readSnapshot(deps, tagId, number)
    const live = { change: { activate }, activates: number }
    return saveAndDeploy(deps, who, { what: 'activateDeployment', after: { activates: number }, tagId, live })
  })
}
