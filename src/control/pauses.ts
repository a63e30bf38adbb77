import type { ScriptRecord, StoreChange } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readPauses } from './readPauses.ts'
import { type ApiCaller, saveChange } from './saveChange.ts'
import { requireOwnScript } from './scripts.ts'

type PauseOperationId = 'pauseScript' | 'resumeScript'

const deletePauseChange = (scriptId: string): StoreChange => ({ drop: 'pause', scriptId })

/** Ends an automatic pause of a channel (rejected key, vendor down), so that it is tried again at once. */
async function clearVendorPause(deps: ControlDeps, who: ApiCaller, scriptId: string): Promise<void> {
  const pause = (await readPauses(deps, [scriptId])).get(scriptId)
  if (!pause) return
  const { reason } = pause
  await saveChange(deps, who, {
    what: 'resumeScript',
    object: scriptId,
    before: { reason },
    rows: [deletePauseChange(scriptId)],
  })
}

/** Pauses or resumes a script, live or not. This is not a deployment, so hooks are not called. */
async function setPaused(
  deps: ControlDeps,
  who: ApiCaller,
  what: PauseOperationId,
  script: ScriptRecord,
): Promise<void> {
  const { scriptId } = script
  const [was, paused] = [script.paused === true, what === 'pauseScript']
  if (was && paused) return
  if (was === paused) return clearVendorPause(deps, who, scriptId)
  await saveChange(deps, who, {
    what,
    object: scriptId,
    before: { paused: was },
    after: { paused },
    rows: [{ put: 'paused', scriptId, paused }, ...(paused ? [] : [deletePauseChange(scriptId)])],
  })
}

async function setPausedById(deps: ControlDeps, who: ApiCaller, what: PauseOperationId, named: string) {
  const findScript = () => requireOwnScript(deps, who.access, named)
  const { tagId, scriptId } = await findScript()
  await withChangeLock(tagId, async () => setPaused(deps, who, what, await findScript()))
  return { scriptId, paused: what === 'pauseScript' }
}

export const pauseScript: AnswerFor<'pauseScript'> = ({ params, ...who }, deps) =>
  setPausedById(deps, who, 'pauseScript', params.scriptId)

export const resumeScript: AnswerFor<'resumeScript'> = ({ params, ...who }, deps) =>
  setPausedById(deps, who, 'resumeScript', params.scriptId)
