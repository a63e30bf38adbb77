import { ApiError, type Client } from '#contract/client.ts'
import type { ScriptPatch, ScriptWrite } from '#contract/script.ts'
import { type FlagContext, type SecretFlags, sealSecretFlags } from './secretReferences.ts'

export type ScriptFlags = SecretFlags & { draft?: boolean }

/** The secrets of a write, and whether it stays a draft, from the flags. */
async function writtenByFlags(providerId: string, flags: ScriptFlags, api: Client, context: FlagContext) {
  const secrets = await sealSecretFlags(flags, providerId, api, context)
  return { ...(secrets.length > 0 && { secrets }), ...(flags.draft && { shouldDeploy: false }) }
}

type Written = { secrets?: readonly { variable: string }[] }

/** Adds the variable of a refused secret to the error: the API only gives its index. */
async function withVariableNames<Answer>({ secrets = [] }: Written, call: Promise<Answer>): Promise<Answer> {
  return call.catch((problem) => {
    if (!(problem instanceof ApiError)) throw problem
    const { attributes = {} } = problem.error
    const issues = ((attributes.issues ?? []) as { path: string; message: string }[]).map((issue) => {
      const [, at] = /^secrets\.(\d+)$/.exec(issue.path) ?? []
      const variable = at === undefined ? issue.path : (secrets[Number(at)]?.variable ?? issue.path)
      return { ...issue, path: issue.message.startsWith(variable) ? '' : variable }
    })
    throw new ApiError({ ...problem.error, attributes: { ...attributes, issues } })
  })
}

export async function createScript(
  { body }: { body: ScriptWrite },
  flags: ScriptFlags,
  api: Client,
  context: FlagContext,
) {
  const written = await writtenByFlags(body.providerId, flags, api, context)
  return withVariableNames(written, api.createScript({ body: { ...body, ...written } }))
}

/** Changes the fields that have a flag, and publishes only those. */
export async function patchScript(
  { scriptId, body }: { scriptId: string; body: ScriptPatch },
  flags: ScriptFlags,
  api: Client,
  context: FlagContext,
) {
  const { providerId } = await api.readScript({ scriptId })
  const written = await writtenByFlags(providerId, flags, api, context)
  return withVariableNames(written, api.patchScript({ scriptId, body: { ...body, ...written } }))
}

/** Activates the given deployment, by default the one before the live one. */
export async function rollBack({ tagId, to }: { tagId: string; to?: number }, api: Client) {
  if (to !== undefined) return api.activateDeployment({ tagId, number: to })
  const { deployments } = await api.listDeployments({ tagId, limit: 2 })
  const previous = deployments.find(({ isLive }) => !isLive)
  if (!previous) throw new Error('No deployment precedes the live one.')
  return api.activateDeployment({ tagId, number: previous.number })
}
