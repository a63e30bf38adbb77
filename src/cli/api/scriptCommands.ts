import type { Client } from '#contract/client.ts'
import type { Script, ScriptWrite } from '#contract/script.ts'
import { type ReferenceContext, type SecretFlags, sealSecretFlags } from './secretReferences.ts'

export type ScriptFlags = SecretFlags & { draft?: boolean }

/** The current settings of a script in the form of a write. */
const currentSettings = ({ name, providerId, consentCategory, geoRegions, purchaseValueMode }: Script) => ({
  name,
  providerId,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(geoRegions !== undefined && { geoRegions }),
  purchaseValueMode,
})

/** The body of a write: the settings, and the sealed secrets of the flags. */
async function buildBody(
  settings: ScriptWrite,
  flags: ScriptFlags,
  api: Client,
  context: ReferenceContext,
): Promise<ScriptWrite> {
  const secrets = await sealSecretFlags(flags, settings.providerId, api, context)
  return { ...settings, ...(secrets.length > 0 && { secrets }), ...(flags.draft && { shouldDeploy: false }) }
}

type ScriptUpdateInput = { scriptId: string; body: ScriptWrite }

export async function createScript(
  { body }: ScriptUpdateInput,
  flags: ScriptFlags,
  api: Client,
  context: ReferenceContext,
) {
  return api.createScript({ body: await buildBody(body, flags, api, context) })
}

/** The tag of a script of the team. Throws an Error when none of its tags has the script. */
async function findTagOf(scriptId: string, api: Client): Promise<string> {
  const { tags = [] } = await api.readMe()
  for (const { tagId } of tags)
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: { scripts: { scriptId: string }[]; next?: string } = await api.listScripts({
        tagId,
        ...(cursor && { cursor }),
      })
      if (page.scripts.some((script) => script.scriptId === scriptId)) return tagId
      cursor = page.next
    }
  throw new Error(`No tag of the team has the script ${scriptId}.`)
}

/**
 * PUT replaces every setting, so settings without a flag are sent with their current value. Without `--tag`, the tag of
 * the script is looked up.
 */
export async function updateScript(
  { scriptId, body }: ScriptUpdateInput,
  flags: ScriptFlags,
  api: Client,
  context: ReferenceContext,
) {
  const current = currentSettings(await api.readScript({ scriptId }))
  const tagId = body.tagId ?? (await findTagOf(scriptId, api))
  return api.updateScript({ scriptId, body: await buildBody({ ...current, ...body, tagId }, flags, api, context) })
}

/** Activates the given deployment, or the one before the live one. */
export async function rollBack({ tagId, to }: { tagId: string; to?: number }, api: Client) {
  if (to !== undefined) return api.activateDeployment({ tagId, number: to })
  const { deployments } = await api.listDeployments({ tagId, limit: 2 })
  const previous = deployments.find(({ isLive }) => !isLive)
  if (!previous) throw new Error('There is no deployment before the live one.')
  return api.activateDeployment({ tagId, number: previous.number })
}
