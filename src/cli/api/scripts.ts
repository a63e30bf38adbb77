import type { Client } from '#contract/client.ts'
import type { Script, ScriptWrite } from '#contract/script.ts'
import { entriesOf, type Place, type SecretFlags } from './secrets.ts'

export type ScriptFlags = SecretFlags & { draft?: boolean }

/** What a script says of itself now, as a write would say it. */
const settingsOf = ({ name, providerId, consentCategory, geoRegions, purchaseValueMode }: Script) => ({
  name,
  providerId,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(geoRegions !== undefined && { geoRegions }),
  purchaseValueMode,
})

/** The body of a write: its settings, and the secrets that the flags set, sealed. */
async function bodyOf(settings: ScriptWrite, flags: ScriptFlags, api: Client, place: Place): Promise<ScriptWrite> {
  const secrets = await entriesOf(flags, settings.providerId, api, place)
  return { ...settings, ...(secrets.length > 0 && { secrets }), ...(flags.draft && { shouldDeploy: false }) }
}

type Input = { scriptId: string; body: ScriptWrite }

export async function createScript({ body }: Input, flags: ScriptFlags, api: Client, place: Place) {
  return api.createScript({ body: await bodyOf(body, flags, api, place) })
}

/** PUT replaces every setting: those that no flag names are sent as they are. */
export async function updateScript({ scriptId, body }: Input, flags: ScriptFlags, api: Client, place: Place) {
  const now = settingsOf(await api.readScript({ scriptId }))
  return api.updateScript({ scriptId, body: await bodyOf({ ...now, ...body }, flags, api, place) })
}

/** Activates the deployment that is named, or the one before the live one. */
export async function rollBack({ tagId, to }: { tagId: string; to?: number }, api: Client) {
  if (to !== undefined) return api.activateDeployment({ tagId, number: to })
  const { deployments } = await api.listDeployments({ tagId, limit: 2 })
  const before = deployments.find(({ isLive }) => !isLive)
  if (!before) throw new Error('There is no deployment before the live one.')
  return api.activateDeployment({ tagId, number: before.number })
}
