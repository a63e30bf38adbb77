import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { Change, ScriptRecord } from '#store/store.ts'
import { objections, save, type Who } from './save.ts'
import { ownScript } from './scripts.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>
type Id = 'pauseScript' | 'resumeScript'

async function isLive(on: ControlWorld, { tagId, scriptId }: ScriptRecord): Promise<boolean> {
  const live = await on.store.deployment(tagId)
  return live?.snapshot.scripts.some((script) => script.scriptId === scriptId) ?? false
}

const goesOn = (scriptId: string): Change => ({ drop: 'pause', scriptId })

/** A channel that is paused because its vendor rejects the key, or is down, is tried again at once. */
async function letGoOn(on: ControlWorld, who: Who, scriptId: string): Promise<string[]> {
  const pauses = await on.store.journal.pauses()
  const pause = pauses.find((each) => each.scriptId === scriptId)
  if (!pause) return []
  const { reason } = pause
  await save(on, who, { what: 'resumeScript', object: scriptId, before: { reason }, rows: [goesOn(scriptId)] })
  return []
}

/** Pauses what is live and what is saved; hooks cannot stop it. One that is not live yet goes live as it is saved then. */
async function turn(on: ControlWorld, who: Who, what: Id, script: ScriptRecord): Promise<string[]> {
  const paused = what === 'pauseScript'
  const { paused: was = false, ...rest } = script
  const { scriptId, tagId } = script
  if (was === paused) return paused ? [] : letGoOn(on, who, scriptId)
  const row: ScriptRecord = { ...rest, ...(paused && { paused }) }
  const live = { change: { pause: scriptId, paused }, isUnstoppable: true }
  const deployed = await save(on, who, {
    what,
    object: scriptId,
    before: { paused: was },
    after: { paused },
    tagId,
    rows: [{ put: 'script', row }, ...(paused ? [] : [goesOn(scriptId)])],
    ...((await isLive(on, script)) && { live }),
  })
  return objections(deployed)
}

async function turnKnown(on: ControlWorld, who: Who, what: Id, named: string) {
  const known = async () => {
    const script = await ownScript(on, who.access, named)
    if (!script) throw fault('scriptOrTagNotFound')
    return script
  }
  const { tagId, scriptId } = await known()
  const errors = await inTurn(tagId, async () => turn(on, who, what, await known()))
  return { scriptId, paused: what === 'pauseScript', errors }
}

export const pauseScript: Of<'pauseScript'> = ({ params, ...who }, on) =>
  turnKnown(on, who, 'pauseScript', params.scriptId)

export const resumeScript: Of<'resumeScript'> = ({ params, ...who }, on) =>
  turnKnown(on, who, 'resumeScript', params.scriptId)
