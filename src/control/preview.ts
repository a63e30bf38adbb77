import type { TeamAccess } from '#account/teamAccess.ts'
import { fault } from '#contract/fault.ts'
import type { Preview, PreviewLine, PreviewRequest } from '#contract/preview.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { channelRulesOf } from '#contract/rule/channelRules.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { defined } from '#kit/defined.ts'
import { previewWithPlugins } from '#plugin/previewWithPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { type Redact, secretRedactor } from '#provider/engine/redaction.ts'
import { isSensitive } from '#provider/form/secret.ts'
import { providers } from '#providers/index.ts'
import { applyToLine } from '#rule/applyToLine.ts'
import { refuseBadPreviewCode } from '#sandbox/parseCode.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openDraftSecrets } from './draftSecrets.ts'
import { requireTag } from './tags.ts'

const applyRules = applyToLine(eventLimits)

/** The line of a preview, and the sensitive values that the caller did not send in plaintext. */
type OpenedLine = { line: PreviewLine; hidden: readonly string[] }

/**
 * Decrypts stored and sealed secrets. A plaintext value replaces them. Stored secrets need script:write, because a
 * request signed with one is valid at the vendor. Throws scopeMissing, scriptOrTagNotFound and secretRefused.
 */
async function openLine(
  { scriptId, sealed, ...line }: PreviewRequest,
  access: TeamAccess,
  deps: ControlDeps,
): Promise<OpenedLine> {
  if (!Object.hasOwn(providers, line.provider) || (scriptId == null && !sealed)) return { line, hidden: [] }
  if (scriptId != null) requireScopes(['script:write'], access)
  const draft = { providerId: line.provider as ProviderId, scriptId, entries: sealed }
  const { provider, secrets, script } = await openDraftSecrets(deps, access, draft)
  const channel = line.channel ?? (script?.purchaseValueMode && { purchaseValueMode: script.purchaseValueMode })
  const ofTag = script && (await requireTag(deps, access, script.tagId)).settings.defaultCountry
  const defaultCountry = line.defaultCountry ?? (ofTag === 'none' ? undefined : ofTag)
  const rules = line.rules ?? (script && channelRulesOf(script))
  return {
    line: { ...line, secrets: { ...secrets, ...line.secrets }, ...defined({ rules, channel, defaultCountry }) },
    hidden: Object.entries(secrets).flatMap(([name, value]) => (isSensitive(provider.secrets[name]!) ? [value] : [])),
  }
}

/** Removes secrets from the requests that are returned: the caller may not know them. */
const redactPreview = ({ requests, ...preview }: Preview, redact: Redact): Preview => ({
  ...preview,
  ...(preview.message !== undefined && { message: redact(preview.message) }),
  requests: requests.map(({ method, url, headers, body }) => ({
    method,
    url: redact(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)])),
    ...(body !== undefined && { body: redact(body) }),
  })),
})

/** The secrets in the body are used for this response and not stored. Throws overloaded. */
export const preview: AnswerFor<'preview'> = async ({ body, access }, deps) => {
  const { line, hidden } = await openLine(body, access, deps)
  const previewed = previewWithPlugins(
    line,
    { providers, plugins, rates: deps.rates?.(), applyRules },
    deps.clock.now(),
  )
  const codeIssue = previewed.error
    ? undefined
    : await refuseBadPreviewCode(line, providers, deps.parseCode, access.teamId)
  if (codeIssue === 'overloaded') throw fault('overloaded', { headers: { 'retry-after': '1' } })
  const answer = codeIssue ?? previewed
  return hidden.length > 0 ? redactPreview(answer, secretRedactor(hidden)) : answer
}
