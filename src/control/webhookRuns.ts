import { personalTextsOfLive } from '#contract/personalTexts.ts'
import type { LiveRun, Run } from '#contract/webhookRun.ts'
import { openRun } from '#journal/runLog.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { withoutPersonalTexts } from './maskTexts.ts'
import { toPageRequest } from './pagination.ts'
import { requireOwnScript } from './scripts.ts'

const openRuns = async (deps: ControlDeps, teamId: string, rows: readonly SealedRun[]): Promise<Run[]> => {
  for (const { sealed } of rows) await deps.keys.findTeamKey(teamId, sealed)
  return rows.map((row) => openRun(deps.keys, teamId, row).run)
}
type SealedRun = Parameters<typeof openRun>[2]

/** A run that counts as failed in its channel's health. */
export const isFailedRun = ({ status, error }: Run): boolean => status >= 500 || error !== undefined

/** The runs of a script since a time, at most the newest 200. */
export async function readRunsSince(
  deps: ControlDeps,
  teamId: string,
  scriptId: string,
  since: number,
): Promise<Run[]> {
  await deps.runLog.flush()
  const { rows } = await deps.store.runs.list(scriptId, { limit: 200 })
  return openRuns(
    deps,
    teamId,
    rows.filter(({ at }) => at >= since),
  )
}

/** The newest webhook runs of a tag, as a live stream sends them. */
export async function readLiveRuns(deps: ControlDeps, { tagId, teamId }: TagRecord, limit: number): Promise<LiveRun[]> {
  const webhooks = (deps.snapshots.get(tagId)?.scripts ?? []).filter(({ providerId }) => providerId === 'webhook')
  if (webhooks.length > 0) await deps.runLog.flush()
  const found = await Promise.all(
    webhooks.map(async ({ scriptId }) => {
      const { rows } = await deps.store.runs.list(scriptId, { limit })
      const runs = await openRuns(deps, teamId, rows)
      return runs.map(({ logs: _, eventIds: __, request: ___, ...run }) => ({ scriptId, ...run }))
    }),
  )
  return withoutPersonalTexts(personalTextsOfLive.run, found.flat())
}

export const listRuns: AnswerFor<'listRuns'> = async ({ params, query, access }, deps) => {
  const { scriptId } = await requireOwnScript(deps, access, params.scriptId)
  await deps.runLog.flush()
  const { rows, next } = await deps.store.runs.list(scriptId, toPageRequest(query))
  const runs = await openRuns(deps, access.teamId, rows)
  return { runs, ...(next !== undefined && { next }) }
}
