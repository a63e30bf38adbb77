import type { Client } from '#contract/client.ts'
import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import { type Catalogue, catalogueOf } from '../api/secrets.ts'

/** What a team has, as saved. */
export type State = { tags: readonly (Tag & { scripts: readonly Script[] })[]; catalogue: Catalogue }

type Asked = { cursor?: string; limit: number }

/** Every row of a list, page by page. */
async function every<Row>(list: (page: Asked) => Promise<{ rows: Row[]; next?: string }>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 200, ...(cursor !== undefined && { cursor }) })
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

const rest = (next: string | undefined) => (next === undefined ? {} : { next })

/** Reads a team's tags with their scripts, and the variables of the providers. */
export async function readState(api: Client): Promise<State> {
  const tags = await every((page) => api.listTags(page).then(({ tags: rows, next }) => ({ rows, ...rest(next) })))
  const state: State['tags'][number][] = []
  for (const tag of tags) {
    const scripts = await every((page) =>
      api.listScripts({ tagId: tag.tagId, ...page }).then(({ scripts: rows, next }) => ({ rows, ...rest(next) })),
    )
    state.push({ ...tag, scripts })
  }
  return { tags: state, catalogue: catalogueOf(await api.readManifest()) }
}
