import { type Query, queryText } from '#dashboard/addresses.ts'
import { filterNames, personFilters } from './filters.ts'

/** A named filter of a list. */
export type SavedView = { name: string; query: Query }

const most = 20
const maxNameLength = 60
/** Views are stored in the browser, so filters that name a person are left out. */
const kept = filterNames.filter((name) => !(personFilters as readonly string[]).includes(name))

export const viewOf = (name: string, query: Query): SavedView => ({
  name: name.trim().slice(0, maxNameLength),
  query: Object.fromEntries(kept.flatMap((filter) => (query[filter] ? [[filter, query[filter]]] : []))),
})

/** Adds a view; replaces one of the same name, and drops the oldest beyond the limit. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-most)

/** Whether the address shows this view. */
export const isShown = (view: SavedView, query: Query) =>
  queryText(view.query) === queryText(viewOf(view.name, query).query)

/** Parses the stored views; returns none if the text is invalid. */
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
