import { type PreviewTerms, previewCode } from '#account/previewCode.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { previewParameter } from '#contract/previewLink.ts'
import { openPreviewLog } from '#journal/previewLog.ts'
import { newId } from '#kit/id.ts'
import type { AnswerFor } from './controlDeps.ts'
import { saveChange } from './saveChange.ts'
import { requireTag } from './tags.ts'

const defaultSeconds = 3_600

/** The link is not stored: its code holds its terms and a signature. */
export const createPreviewLink: AnswerFor<'createPreviewLink'> = async (
  { params: { tagId }, body: { draft, deployment: number, deliver, expiresIn }, ...who },
  deps,
) => {
  const { settings } = await requireTag(deps, who.access, tagId)
  const deployment = number ?? undefined
  if ((draft === true) === (deployment !== undefined))
    throw badRequest({ path: 'draft', message: 'must be true, or deployment must be a number, but not both' })
  if (deployment !== undefined && !(await deps.store.deployment(tagId, deployment))) throw fault('deploymentUnknown')
  const now = deps.clock.now()
  const previewId = newId('prv', now)
  const expiresAt = (Math.floor(now / 1_000) + (expiresIn ?? defaultSeconds)) * 1_000
  const terms: PreviewTerms = { previewId, expiresAt, deliver, ...(deployment !== undefined && { deployment }) }
  const code = previewCode(deps.keys, tagId, terms)
  await saveChange(deps, who, { what: 'createPreviewLink', object: tagId, after: terms, rows: [] })
  return { ...terms, code, url: `https://${settings.domain}/?${previewParameter}=${code}` }
}

export const listPreviewEvents: AnswerFor<'listPreviewEvents'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  return { events: await openPreviewLog(deps).list(tag, params.previewId, query.after ?? 0) }
}
