import {
  type PlainSecret,
  type ReferenceContext,
  resolveReference,
  sealSecrets,
  type VariableCatalogue,
} from '#cli/api/secretReferences.ts'
import { CommandRefused } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { ApiError, type Client } from '#contract/client.ts'
import type { Me } from '#contract/me.ts'
import type { ConfigChange } from './configPlan.ts'

export type ApplyDeps = {
  api: Client
  me: Me
  catalogue: VariableCatalogue
  context: ReferenceContext
  /** Scripts are saved and not deployed. */
  draft?: boolean
}

type ResolvedChange = ConfigChange & { plain?: PlainSecret[] }

function resolveSecrets(change: ConfigChange, context: ReferenceContext): PlainSecret[] {
  if (!('secrets' in change)) return []
  return change.secrets.map(({ variable, reference }) => {
    try {
      return { variable, text: resolveReference(reference, context) }
    } catch (problem) {
      throw new UsageError(`${change.tag} / ${change.script}, ${variable}: ${(problem as Error).message}.`)
    }
  })
}

/** Resolves every secret before the first change, so that an unreadable reference changes nothing. */
const resolveChanges = (changes: readonly ConfigChange[], context: ReferenceContext): ResolvedChange[] =>
  changes.map((change) => ({ ...change, plain: resolveSecrets(change, context) }))

async function writeScript(
  change: Extract<ConfigChange, { does: 'createScript' | 'updateScript' }> & { plain?: PlainSecret[] },
  tagId: string,
  { api, me, catalogue, draft }: ApplyDeps,
): Promise<void> {
  const secrets = await sealSecrets(change.plain ?? [], change.body.providerId, me, catalogue)
  const body = { ...change.body, tagId, ...(secrets.length > 0 && { secrets }), ...(draft && { shouldDeploy: false }) }
  if (change.scriptId === undefined) await api.createScript({ body })
  else await api.updateScript({ scriptId: change.scriptId, body })
}

/** Makes one change; `createdTags` has the ids of the tags that this run created, by name. */
async function applyChange(change: ResolvedChange, createdTags: Map<string, string>, deps: ApplyDeps): Promise<void> {
  if ('secrets' in change) await writeScript(change, change.tagId ?? createdTags.get(change.tag)!, deps)
  else if (change.does === 'deleteScript') await deps.api.deleteScript({ scriptId: change.scriptId })
  else if (change.tagId !== undefined) await deps.api.updateTag({ tagId: change.tagId, body: change.body })
  else createdTags.set(change.tag, (await deps.api.createTag({ body: change.body })).tagId)
}

/**
 * Makes the changes in sequence; each is atomic and goes live by itself. When one is refused, the earlier ones stay,
 * and the next run continues from there.
 */
export async function applyChanges(changes: readonly ConfigChange[], deps: ApplyDeps): Promise<void> {
  const resolved = resolveChanges(changes, deps.context)
  const createdTags = new Map<string, string>()
  for (const [at, change] of resolved.entries()) {
    try {
      await applyChange(change, createdTags, deps)
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem
      const name = 'script' in change ? `${change.tag} / ${change.script}` : change.tag
      throw new CommandRefused(problem.error, `${at} of ${resolved.length} changes were made; ${name}: `)
    }
  }
}
