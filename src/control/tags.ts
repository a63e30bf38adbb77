import type { Access } from '#account/access.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { Tag, TagUpdate } from '#contract/tag.ts'
import type { Answer } from '#http/bind.ts'
import { eraseWaiting } from '#script/erase.ts'
import type { TagRecord } from '#store/store.ts'
import { createTag as make, settingsIn, showTag, tagFault, tagState } from '#tag/tag.ts'
import { versions } from './catalogue.ts'
import { every, isBelow, pageOf } from './page.ts'
import { save } from './save.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations
type Of<Id extends keyof Operations> = Answer<Operations[Id], ControlWorld>

/** The tag, if it is of the calling team: another team's is as unknown as none. */
export async function ownTag(on: ControlWorld, { teamId }: Access, tagId: string): Promise<TagRecord | undefined> {
  const tag = await on.store.tag(tagId)
  return tag?.teamId === teamId ? tag : undefined
}

/** The same where the path names it. Throws tagUnknown. */
export async function knownTag(on: ControlWorld, access: Access, tagId: string): Promise<TagRecord> {
  const tag = await ownTag(on, access, tagId)
  if (!tag) throw fault('tagUnknown')
  return tag
}

/** Throws badRequest for a version that the manifest does not list. */
function refuseOtherVersions(write: TagUpdate): void {
  const issues = (['sdkVersion', 'edgeVersion'] as const).flatMap((path) => {
    const version = write[path]
    if (version == null || version === 'latest' || versions[path].includes(version)) return []
    return [{ path, message: `is not one of the manifest: ${['latest', ...versions[path]].join(', ')}` }]
  })
  if (issues.length > 0) throw badRequest(...issues)
}

/** Throws tooManyTags. */
async function refuseAboveLimit(on: ControlWorld, teamId: string): Promise<void> {
  const { tagsPerTeam } = on.limits
  if (!(await isBelow(tagsPerTeam, (page) => on.store.tags(teamId, page))))
    throw limitReached('tooManyTags', tagsPerTeam)
}

async function refuseTakenName(on: ControlWorld, { teamId, tagId, name }: TagRecord): Promise<void> {
  const tags = await every((page) => on.store.tags(teamId, page))
  if (tags.some((tag) => tag.name === name && tag.tagId !== tagId)) throw fault('nameTaken')
}

const shown = async (on: ControlWorld, tag: TagRecord): Promise<Tag> =>
  showTag(tag, on.tagUrl(tag.tagId), await on.hostProofs.states(tag.tagId, tag.settings.hosts))

export const createTag: Of<'createTag'> = async ({ body, access, from }, on) => {
  refuseOtherVersions(body)
  const { teamId, tokenId: by } = access
  const tag = await inTurn(`${teamId} tags`, async () => {
    await refuseAboveLimit(on, teamId)
    return make(on, teamId, { by, from }, body)
  })
  on.log({ message: 'changed', what: 'createTag', by, teamId, object: tag.tagId })
  return { ...tag, hostStates: await on.hostProofs.states(tag.tagId, tag.hosts) }
}

export const listTags: Of<'listTags'> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.tags(access.teamId, pageOf(query))
  return { tags: rows.map((row) => showTag(row, on.tagUrl(row.tagId))), ...(next !== undefined && { next }) }
}

export const readTag: Of<'readTag'> = async ({ params, access }, on) =>
  shown(on, await knownTag(on, access, params.tagId))

export const updateTag: Of<'updateTag'> = async ({ params: { tagId }, body, ...who }, on) => {
  await knownTag(on, who.access, tagId)
  refuseOtherVersions(body)
  const listed = settingsIn(body, on)
  const updated = inTurn(tagId, async () => {
    const kept = await knownTag(on, who.access, tagId)
    const name = body.name ?? kept.name
    const row: TagRecord = { ...kept, name, settings: { ...kept.settings, ...listed } }
    if (name !== kept.name) await refuseTakenName(on, row)
    await save(on, who, {
      what: 'updateTag',
      object: tagId,
      before: tagState(kept),
      after: tagState(row),
      tagId,
      rows: [{ put: 'tag', row }, ...(listed.hosts ? [claims(tagId, listed.hosts, on)] : [])],
      live: { change: { set: { ...listed, ...(body.name != null && { name }) } } },
    })
    // A host that is given up is another tag's at once, where DNS has shown that.
    await on.hostProofs.settle(kept.settings.hosts)
    return row
  })
  const row = await updated.catch((error) => {
    throw tagFault(error)
  })
  return shown(on, row)
}

const claims = (tagId: string, hosts: readonly string[], { clock }: ControlWorld) =>
  ({ put: 'hosts', tagId, hosts, at: clock.now() }) as const

/** The scripts that deliveries of the tag may wait for. */
async function scriptIdsOf(on: ControlWorld, tagId: string): Promise<string[]> {
  const saved = await every((page) => on.store.scripts(tagId, page))
  const live = (await on.store.deployment(tagId))?.snapshot.scripts ?? []
  return [...new Set([...saved, ...live].map(({ scriptId }) => scriptId))]
}

export const deleteTag: Of<'deleteTag'> = async ({ params: { tagId }, ...who }, on) => {
  await knownTag(on, who.access, tagId)
  return inTurn(tagId, async () => {
    const tag = await knownTag(on, who.access, tagId)
    const scriptIds = await scriptIdsOf(on, tagId)
    const rows = [{ drop: 'tag' as const, tagId }]
    await save(on, who, { what: 'deleteTag', object: tagId, before: tagState(tag), tagId, rows })
    on.snapshots.drop(tagId)
    await on.hostProofs.settle(tag.settings.hosts)
    await eraseWaiting(scriptIds, on.store.journal)
    return { tagId }
  })
}
