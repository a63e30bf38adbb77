import { type Query, queryText } from '#dashboard/addresses.ts'
import { filterNames, personFilters } from './filters.ts'

/** A named filter of a list. */
export type SavedView = { name: string; query: Query }

const most = 20
const maxNameLength = 60
/** A view is kept in the browser: what names a person is no part of it. */
const kept = filterNames.filter((name) => !(personFilters as readonly string[]).includes(name))

export const viewOf = (name: string, query: Query): SavedView => ({
  name: name.trim().slice(0, maxNameLength),
  query: Object.fromEntries(kept.flatMap((filter) => (query[filter] ? [[filter, query[filter]]] : []))),
})

/** The views with one more; one of the same name is replaced, and the oldest beyond the limit are dropped. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-most)

/** Whether a view is what the address shows. */
export const isShown = (view: SavedView, query: Query) =>
  queryText(view.query) === queryText(viewOf(view.name, query).query)

/** The views of a stored text; none where it is not one of ours. */
export function parseViews(text: string | null): SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(views)) return []
    return views.flatMap((each) =>
      typeof each?.name === 'string' && typeof each.query === 'object' && each.query !== null
        ? [viewOf(each.name, each.query as Query)]
        : [],
    )
  } catch {
    return []
  }
}
