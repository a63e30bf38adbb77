import { buildCatalogue, type VariableCatalogue } from '#cli/api/secretReferences.ts'
import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'

/** The saved tags and scripts of a team, and the variables of the providers. */
export type TeamState = { tags: readonly (Tag & { scripts: readonly Script[] })[]; catalogue: VariableCatalogue }

type ListPage = { cursor?: string; limit: number }

/** Reads every row of a list, page by page. */
async function readAllPages<Row>(list: (page: ListPage) => Promise<{ rows: Row[]; next?: string }>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 200, ...(cursor !== undefined && { cursor }) })
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

const optionalNext = (next: string | undefined) => (next === undefined ? {} : { next })

/** Reads a team's tags with their scripts, and the variables of the providers. */
export async function readTeamState(api: Client): Promise<TeamState> {
  const tags = await readAllPages((page) =>
    api.listTags(page).then(({ tags: rows, next }) => ({ rows, ...optionalNext(next) })),
  )
  const state: TeamState['tags'][number][] = []
  for (const tag of tags) {
    const scripts = await readAllPages((page) =>
      api
        .listScripts({ tagId: tag.tagId, ...page })
        .then(({ scripts: rows, next }) => ({ rows, ...optionalNext(next) })),
    )
    state.push({ ...tag, scripts })
  }
  return { tags: state, catalogue: buildCatalogue(await api.readManifest()) }
}
