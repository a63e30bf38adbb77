import type { Access } from '#account/access.ts'
import type { Me } from '#contract/me.ts'
import { every } from './page.ts'
import type { ControlWorld } from './world.ts'

/** Answers `/me` and `/user/me` alike. */
export async function readMe({ access }: { access: Access }, on: ControlWorld): Promise<Me> {
  const tags = await every((page) => on.store.tags(access.teamId, page))
  return {
    teamId: access.teamId,
    environment: on.environment,
    application: access.application,
    scopes: [...access.scopes],
    encryptionKey: on.sealingKeys.active(),
    tags: tags.map(({ tagId, name }) => ({ tagId, name, tagUrl: on.tagUrl(tagId) })),
  }
}
