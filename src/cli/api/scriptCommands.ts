import type { Client } from '#contract/client.ts'
import type { ScriptPatch, ScriptWrite } from '#contract/script.ts'
import { type FlagContext, type SecretFlags, sealSecretFlags } from './secretReferences.ts'

export type ScriptFlags = SecretFlags & { draft?: boolean }

/** The secrets and the mode of a write, from the flags. */
async function writtenByFlags(providerId: string, flags: ScriptFlags, api: Client, context: FlagContext) {
  const secrets = await sealSecretFlags(flags, providerId, api, context)
  return { ...(secrets.length > 0 && { secrets }), ...(flags.draft && { shouldDeploy: false }) }
}

export async function createScript(
  { body }: { body: ScriptWrite },
  flags: ScriptFlags,
  api: Client,
  context: FlagContext,
) {
  return api.createScript({ body: { ...body, ...(await writtenByFlags(body.providerId, flags, api, context)) } })
}

/** Changes the fields that have a flag, and publishes only them. */
export async function patchScript(
  { scriptId, body }: { scriptId: string; body: ScriptPatch },
  flags: ScriptFlags,
  api: Client,
  context: FlagContext,
) {
  const { providerId } = await api.readScript({ scriptId })
  return api.patchScript({ scriptId, body: { ...body, ...(await writtenByFlags(providerId, flags, api, context)) } })
}

/** Activates the given deployment, or the one before the live one. */
export async function rollBack({ tagId, to }: { tagId: string; to?: number }, api: Client) {
  if (to !== undefined) return api.activateDeployment({ tagId, number: to })
  const { deployments } = await api.listDeployments({ tagId, limit: 2 })
  const previous = deployments.find(({ isLive }) => !isLive)
  if (!previous) throw new Error('There is no deployment before the live one.')
  return api.activateDeployment({ tagId, number: previous.number })
}
