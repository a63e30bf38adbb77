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

/** PUT replaces every setting, so settings without a flag are sent with their current value. */
export async function updateScript(
  { scriptId, body }: ScriptUpdateInput,
  flags: ScriptFlags,
  api: Client,
  context: ReferenceContext,
) {
  const current = currentSettings(await api.readScript({ scriptId }))
  return api.updateScript({ scriptId, body: await buildBody({ ...current, ...body }, flags, api, context) })
}

/** Activates the given deployment, or the one before the live one. */
export async function rollBack({ tagId, to }: { tagId: string; to?: number }, api: Client) {
  if (to !== undefined) return api.activateDeployment({ tagId, number: to })
  const { deployments } = await api.listDeployments({ tagId, limit: 2 })
  const previous = deployments.find(({ isLive }) => !isLive)
  if (!previous) throw new Error('There is no deployment before the live one.')
  return api.activateDeployment({ tagId, number: previous.number })
}
