import type { Deployment } from '#contract/deployment.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { changesBetween } from '#script/changes.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Deployment as DeploymentRecord, ScriptRecord } from '#store/store.ts'
import { every, pageOf } from './page.ts'
import { type Saving, save, type Who } from './save.ts'
import { knownTag } from './tags.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

const shown = (
  { number, createdAt, by, activates, snapshot }: DeploymentRecord,
  before: Snapshot | undefined,
  live: number,
): Deployment => ({
  number,
  at: createdAt,
  by,
  isLive: number === live,
  ...(activates !== undefined && { activates }),
  changes: changesBetween(before, snapshot),
})

export const listDeployments: Of<'listDeployments'> = async ({ params, query, access }, on) => {
  const { tagId } = await knownTag(on, access, params.tagId)
  const live = (await on.store.deployment(tagId))?.number ?? 0
  const { rows, next } = await on.store.history(tagId, pageOf(query))
  const last = rows.at(-1)
  const older = last && (await on.store.deployment(tagId, last.number - 1))
  const deployments = rows.map((row, at) => shown(row, (rows[at + 1] ?? older)?.snapshot, live))
  return { deployments, ...(next !== undefined && { next }) }
}

/** All that is saved of a tag, oldest first. */
const savedScripts = async (on: ControlWorld, tagId: string): Promise<ScriptRecord[]> =>
  (await every((page) => on.store.scripts(tagId, page))).reverse()

async function saveLive(
  on: ControlWorld,
  who: Who,
  saving: Omit<Saving, 'object' | 'rows'> & { tagId: string },
): Promise<Deployment> {
  const deployed = await save(on, who, { ...saving, object: saving.tagId, rows: [] })
  if (!deployed) throw new Error('nothing went live')
  const { deployment, before } = deployed
  return shown(deployment, before, deployment.number)
}

export const deployTag: Of<'deployTag'> = async ({ params: { tagId }, ...who }, on) => {
  await knownTag(on, who.access, tagId)
  return inTurn(tagId, async () => {
    const publish = await knownTag(on, who.access, tagId)
    const scripts = await savedScripts(on, tagId)
    return saveLive(on, who, { what: 'deployTag', tagId, live: { change: { publish, scripts } } })
  })
}

/** The snapshot of an older deployment. Throws deploymentUnknown. */
async function olderSnapshot(on: ControlWorld, tagId: string, number: number): Promise<Snapshot> {
  const deployment = Number.isSafeInteger(number) ? await on.store.deployment(tagId, number) : undefined
  if (!deployment) throw fault('deploymentUnknown')
  return deployment.snapshot
}

export const activateDeployment: Of<'activateDeployment'> = async ({ params: { tagId, number }, ...who }, on) => {
  await knownTag(on, who.access, tagId)
  return inTurn(tagId, async () => {
    await knownTag(on, who.access, tagId)
    const activate = await olderSnapshot(on, tagId, number)
    const saved = await savedScripts(on, tagId)
    const paused = new Set(saved.filter((script) => script.paused).map(({ scriptId }) => scriptId))
    const live = { change: { activate, paused }, activates: number }
    return saveLive(on, who, { what: 'activateDeployment', after: { activates: number }, tagId, live })
  })
}
