import { ApiError, type Client } from '#contract/client.ts'
import type { Me } from '#contract/me.ts'
import { type Catalogue, type Place, type Plain, readReference, sealAll } from '../api/secrets.ts'
import { WrongUsage } from '../call.ts'
import { Refused } from '../options.ts'
import type { Change } from './plan.ts'

export type ApplyWorld = {
  api: Client
  me: Me
  catalogue: Catalogue
  place: Place
  /** Scripts are saved, and do not go live. */
  draft?: boolean
}

type Ready = Change & { plain?: Plain[] }

function plainOf(change: Change, place: Place): Plain[] {
  if (!('secrets' in change)) return []
  return change.secrets.map(({ variable, reference }) => {
    try {
      return { variable, text: readReference(reference, place) }
    } catch (problem) {
      throw new WrongUsage(`${change.tag} / ${change.script}, ${variable}: ${(problem as Error).message}.`)
    }
  })
}

/** Whatever cannot be read is found before anything is changed. */
const readyOf = (changes: readonly Change[], place: Place): Ready[] =>
  changes.map((change) => ({ ...change, plain: plainOf(change, place) }))

async function write(
  change: Extract<Change, { does: 'createScript' | 'updateScript' }> & { plain?: Plain[] },
  tagId: string,
  { api, me, catalogue, draft }: ApplyWorld,
): Promise<void> {
  const secrets = await sealAll(change.plain ?? [], change.body.providerId, me, catalogue)
  const body = { ...change.body, tagId, ...(secrets.length > 0 && { secrets }), ...(draft && { shouldDeploy: false }) }
  if (change.scriptId === undefined) await api.createScript({ body })
  else await api.updateScript({ scriptId: change.scriptId, body })
}

/** Makes one change; `made` knows the ids of the tags that this run made. */
async function make(change: Ready, made: Map<string, string>, on: ApplyWorld): Promise<void> {
  if ('secrets' in change) await write(change, change.tagId ?? made.get(change.tag)!, on)
  else if (change.does === 'deleteScript') await on.api.deleteScript({ scriptId: change.scriptId })
  else if (change.tagId !== undefined) await on.api.updateTag({ tagId: change.tagId, body: change.body })
  else made.set(change.tag, (await on.api.createTag({ body: change.body })).tagId)
}

/**
 * Makes the changes, one after the other; each is whole and goes live by itself. Where one is refused, those before it
 * stay, and the next run goes on from there.
 */
export async function applyAll(changes: readonly Change[], on: ApplyWorld): Promise<void> {
  const ready = readyOf(changes, on.place)
  const made = new Map<string, string>()
  for (const [at, change] of ready.entries()) {
    try {
      await make(change, made, on)
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem
      const name = 'script' in change ? `${change.tag} / ${change.script}` : change.tag
      throw new Refused(problem.error, `${at} of ${ready.length} changes were made; ${name}: `)
    }
  }
}
