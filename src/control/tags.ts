import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { Tag, TagUpdate } from '#contract/tag.ts'
import { cancelWaitingDeliveries } from '#script/cancelWaitingDeliveries.ts'
import { differingValues, tagFields } from '#script/deploymentChanges.ts'
import { readShops } from '#script/shopWrite.ts'
import type { TagRecord, TagSettings } from '#store/store.ts'
import { nextRevision, refuseStale } from '#tag/revision.ts'
import { emptySnapshot, createTag as make, readTagSettings, showTag, tagAuditState, toTagFault } from '#tag/tag.ts'
import { buildVersions } from './catalogue.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { isBelow, readAllPages, toPageRequest } from './pagination.ts'
import { type SavedChange, saveChange } from './saveChange.ts'

/** The tag, if it belongs to the calling team. A tag of another team is treated as unknown. */
export async function findOwnTag(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  tagId: string,
): Promise<TagRecord | undefined> {
  const tag = await deps.store.tag(tagId)
  return tag?.teamId === teamId ? tag : undefined
}

/** The tag of the path, if it belongs to the calling team. Throws tagUnknown. */
export async function requireTag(deps: ControlDeps, access: TeamAccess, tagId: string): Promise<TagRecord> {
  const tag = await findOwnTag(deps, access, tagId)
  if (!tag) throw fault('tagUnknown')
  return tag
}

/** Throws badRequest for a version that the manifest does not list. */
export function refuseUnknownVersions(write: TagUpdate): void {
  const issues = (['sdkVersion', 'edgeVersion'] as const).flatMap((path) => {
    const version = write[path]
    if (version == null || version === 'latest' || buildVersions[path].includes(version)) return []
    return [{ path, message: `is not in the manifest: use one of ${['latest', ...buildVersions[path]].join(', ')}` }]
  })
  if (issues.length > 0) throw badRequest(...issues)
}

/** Throws tooManyTags. `more`: the number of other tags that are created before this one. */
export async function refuseAboveLimit(deps: ControlDeps, teamId: string, more = 0): Promise<void> {
  const { tagsPerTeam } = deps.limits
  const left = tagsPerTeam - more
  if (left < 1 || !(await isBelow(left, (page) => deps.store.tags(teamId, page))))
    throw limitReached('tooManyTags', tagsPerTeam)
}

/** Throws nameTaken if another tag of the team has the name. */
export async function refuseTakenName(deps: ControlDeps, { teamId, tagId, name }: TagRecord): Promise<void> {
  const tags = await readAllPages((page) => deps.store.tags(teamId, page))
  if (tags.some((tag) => tag.name === name && tag.tagId !== tagId)) throw fault('nameTaken')
}

/** The settings of the saved tag that are not live. */
function tagNotLive({ snapshots }: ControlDeps, tag: TagRecord): Pick<Tag, 'notLive'> {
  const live = snapshots.get(tag.tagId)
  const notLive = live ? differingValues(tagFields(live), tagFields(emptySnapshot(tag))) : []
  return notLive.length > 0 ? { notLive } : {}
}

const toTagView = async (deps: ControlDeps, tag: TagRecord, hasHostStates = true): Promise<Tag> => ({
  ...showTag(
    tag,
    deps.tagUrl(tag.tagId),
    hasHostStates ? await deps.hostProofs.states(tag.tagId, tag.settings.hosts) : undefined,
  ),
  ...tagNotLive(deps, tag),
})

export const createTag: AnswerFor<'createTag'> = async ({ body, access, from }, deps) => {
  refuseUnknownVersions(body)
  const { teamId, by } = access
  const tag = await withChangeLock(`${teamId} tags`, async () => {
    await refuseAboveLimit(deps, teamId)
    return make(deps, teamId, { by, from }, body)
  })
  deps.log({ message: 'changed', what: 'createTag', by, teamId, object: tag.tagId })
  return { ...tag, hostStates: await deps.hostProofs.states(tag.tagId, tag.hosts) }
}

export const listTags: AnswerFor<'listTags'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.tags(access.teamId, toPageRequest(query))
  const tags = await Promise.all(rows.map((row) => toTagView(deps, row, false)))
  return { tags, ...(next !== undefined && { next }) }
}

export const readTag: AnswerFor<'readTag'> = async ({ params, access }, deps) =>
  toTagView(deps, await requireTag(deps, access, params.tagId))

/** An updated tag: the next revision, with the changed settings. */
export const updatedTag = (
  existing: TagRecord,
  name: string | null | undefined,
  changes: Partial<TagSettings>,
  { by, nowMs }: { by: string; nowMs: number },
): TagRecord => ({
  ...existing,
  ...nextRevision(existing, by, nowMs),
  name: name ?? existing.name,
  settings: { ...existing.settings, ...changes },
})

/** The change that saves an updated tag. */
export const toTagChange = (
  existing: TagRecord,
  row: TagRecord,
  { hosts }: Partial<TagSettings>,
  { clock }: Pick<ControlDeps, 'clock'>,
): SavedChange => ({
  what: 'updateTag',
  object: row.tagId,
  before: tagAuditState(existing),
  after: tagAuditState(row),
  rows: [{ put: 'tag', row }, ...(hosts ? [{ put: 'hosts' as const, tagId: row.tagId, hosts, at: clock.now() }] : [])],
})

export const updateTag: AnswerFor<'updateTag'> = async ({ params: { tagId }, body, ifMatch, ...who }, deps) => {
  await requireTag(deps, who.access, tagId)
  refuseUnknownVersions(body)
  const { shops, ...write } = body
  const settings = readTagSettings(write, deps)
  const updated = withChangeLock(tagId, async () => {
    const existing = await requireTag(deps, who.access, tagId)
    refuseStale(existing, ifMatch)
    const nextShops = shops && (await readShops(shops, existing.settings.shops ?? [], existing, deps))
    const changes = { ...settings, ...(nextShops && { shops: nextShops }) }
    const row = updatedTag(existing, body.name, changes, { by: who.access.by, nowMs: deps.clock.now() })
    if (row.name !== existing.name) await refuseTakenName(deps, row)
    await saveChange(deps, who, {
      ...toTagChange(existing, row, changes, deps),
      tagId,
      live: { change: { set: { ...changes, ...(body.name != null && { name: row.name }) } } },
    })
    // If DNS proves a removed host for another tag, the other tag serves it at once.
    await deps.hostProofs.settle(existing.settings.hosts)
    return row
  })
  const row = await updated.catch((error) => {
    throw toTagFault(error)
  })
  return toTagView(deps, row)
}

/** The saved and live scripts of a tag: every script that may have waiting deliveries. */
async function findScriptIds(deps: ControlDeps, tagId: string): Promise<string[]> {
  const saved = await readAllPages((page) => deps.store.scripts(tagId, page))
  const live = (await deps.store.deployment(tagId))?.snapshot.scripts ?? []
  return [...new Set([...saved, ...live].map(({ scriptId }) => scriptId))]
}

export const deleteTag: AnswerFor<'deleteTag'> = async ({ params: { tagId }, ifMatch, ...who }, deps) => {
  await requireTag(deps, who.access, tagId)
  return withChangeLock(tagId, async () => {
    const tag = await requireTag(deps, who.access, tagId)
    refuseStale(tag, ifMatch)
    const scriptIds = await findScriptIds(deps, tagId)
    const rows = [{ drop: 'tag' as const, tagId }]
    await saveChange(deps, who, { what: 'deleteTag', object: tagId, before: tagAuditState(tag), tagId, rows })
    deps.snapshots.drop(tagId)
    await deps.hostProofs.settle(tag.settings.hosts)
    await cancelWaitingDeliveries(scriptIds, deps.store.journal)
    return { tagId }
  })
}
