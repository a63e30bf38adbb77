import type { TeamAccess } from '#account/teamAccess.ts'
import type { Me } from '#contract/me.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readAllPages } from './pagination.ts'

/** The answer of both `/me` and `/user/me`. */
export async function readMe({ access }: { access: TeamAccess }, deps: ControlDeps): Promise<Me> {
  const tags = await readAllPages((page) => deps.store.tags(access.teamId, page))
  return {
    teamId: access.teamId,
    environment: deps.environment,
    application: access.application,
    ...(access.personId !== undefined && { personId: access.personId }),
    scopes: [...access.scopes],
    hasPolicies: (await deps.store.policies()).length > 0,
    encryptionKey: deps.sealingKeys.active(),
    tags: tags.map(({ tagId, name }) => ({ tagId, name, tagUrl: deps.tagUrl(tagId) })),
  }
}
