import type { Access } from '#account/access.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { TagRecord } from '#store/store.ts'
import { createTag as make, showTag } from '#tag/tag.ts'
import { pageOf } from './page.ts'
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

export const createTag: Of<'createTag'> = async ({ body, access, from }, on) => {
  const tag = await make(on, access.teamId, { by: access.tokenId, from }, body)
  on.log({ message: 'changed', what: 'createTag', by: access.tokenId, teamId: access.teamId, object: tag.tagId })
  return tag
}

export const listTags: Of<'listTags'> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.tags(access.teamId, pageOf(query))
  return { tags: rows.map((row) => showTag(row, on.tagUrl(row.tagId))), ...(next !== undefined && { next }) }
}

export const readTag: Of<'readTag'> = async ({ params, access }, on) =>
  showTag(await knownTag(on, access, params.tagId), on.tagUrl(params.tagId))
