import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { ScriptRecord, StoreChange } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readPauses } from './readPauses.ts'
import { type ApiCaller, hookObjections, saveChange } from './saveChange.ts'
import { findOwnScript } from './scripts.ts'
import { withTagLock } from './tagMutex.ts'

type AnswerFor<Id extends keyof typeof operations> = OperationAnswer<(typeof operations)[Id], ControlDeps>
type PauseOperationId = 'pauseScript' | 'resumeScript'

async function isLive(deps: ControlDeps, { tagId, scriptId }: ScriptRecord): Promise<boolean> {
  const live = await deps.store.deployment(tagId)
  return live?.snapshot.scripts.some((script) => script.scriptId === scriptId) ?? false
}

const deletePauseChange = (scriptId: string): StoreChange => ({ drop: 'pause', scriptId })

/** Ends an automatic pause of a channel, whose vendor rejects the key or is down, so that it is tried again at once. */
async function clearVendorPause(deps: ControlDeps, who: ApiCaller, scriptId: string): Promise<string[]> {
  const pause = (await readPauses(deps, [scriptId])).get(scriptId)
  if (!pause) return []
  const { reason } = pause
  await saveChange(deps, who, {
    what: 'resumeScript',
    object: scriptId,
    before: { reason },
    rows: [deletePauseChange(scriptId)],
  })
  return []
}

/**
 * Pauses or resumes the saved and the live script. Hooks cannot prevent it. A script that is not live stays a draft.
 */
async function setPaused(
  deps: ControlDeps,
  who: ApiCaller,
  what: PauseOperationId,
  script: ScriptRecord,
): Promise<string[]> {
  const paused = what === 'pauseScript'
  const { paused: was = false, ...rest } = script
  const { scriptId, tagId } = script
  if (was === paused) return paused ? [] : clearVendorPause(deps, who, scriptId)
  const row: ScriptRecord = { ...rest, ...(paused && { paused }) }
  const live = { change: { pause: scriptId, paused }, ignoresHooks: true }
  const deployed = await saveChange(deps, who, {
    what,
    object: scriptId,
    before: { paused: was },
    after: { paused },
    tagId,
    rows: [{ put: 'script', row }, ...(paused ? [] : [deletePauseChange(scriptId)])],
    ...((await isLive(deps, script)) && { live }),
  })
  return hookObjections(deployed)
}

async function setPausedById(deps: ControlDeps, who: ApiCaller, what: PauseOperationId, named: string) {
  const findScript = async () => {
    const script = await findOwnScript(deps, who.access, named)
    if (!script) throw fault('scriptOrTagNotFound')
    return script
  }
  const { tagId, scriptId } = await findScript()
  const errors = await withTagLock(tagId, async () => setPaused(deps, who, what, await findScript()))
  return { scriptId, paused: what === 'pauseScript', errors }
}

export const pauseScript: AnswerFor<'pauseScript'> = ({ params, ...who }, deps) =>
  setPausedById(deps, who, 'pauseScript', params.scriptId)

export const resumeScript: AnswerFor<'resumeScript'> = ({ params, ...who }, deps) =>
  setPausedById(deps, who, 'resumeScript', params.scriptId)
