import type { EnvironmentName } from '#contract/me.ts'
import { type PageId, type PageRow, type PathOf, pages } from './pageRows.ts'

export { type PageId, type PageRow, pages }

export const pageIds = Object.keys(pages) as PageId[]
export const pageEntries = Object.entries(pages) as [PageId, PageRow][]

/** The parameters `:tagId` and `:providerId?` of a path. */
type ParamsOf<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? ParamsOf<Part> & ParamsOf<Rest>
  : Path extends `:${infer Name}?`
    ? { [K in Name]?: string }
    : Path extends `:${infer Name}`
      ? { [K in Name]: string }
      : unknown
export type PageParams<Id extends PageId> = ParamsOf<PathOf<Id>>
export type Query = Readonly<Record<string, string | undefined>>

/** The team and environment of an address. */
export type TeamPlace = { environment: EnvironmentName; teamId: string }

/** `/dashboard` or `/sandbox/dashboard`. */
export const basePath = (environment: EnvironmentName) =>
  environment === 'production' ? '/dashboard' : `/${environment}/dashboard`

/** The control API of an environment, on the same origin. */
export const apiPath = (environment: EnvironmentName) => (environment === 'production' ? '/v1' : `/${environment}/v1`)

/** Both environments, in the order of the menu. */
export const environments: readonly EnvironmentName[] = ['production', 'sandbox']

export const environmentOf = (pathname: string): EnvironmentName =>
  /^\/sandbox\/dashboard(\/|$)/.test(pathname) ? 'sandbox' : 'production'

/** The page of the docs for a page of the dashboard, the same in both environments. */
export const helpAddress = (id: PageId) => `/docs/${pages[id].docs}`

/** The pattern of a page for the router. */
export const routeOf = (environment: EnvironmentName, id: PageId) =>
  `${basePath(environment)}${pages[id].of === 'person' ? '' : '/:teamId'}/${pages[id].path}`.replace(/\/$/, '')

/** The query of an address, in the order given; absent and empty values are left out. */
export function queryText(query: Query): string {
  const values = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]))
  return values.length > 0 ? `?${new URLSearchParams(values)}` : ''
}

/** The address of a page. */
export function addressOf<Id extends PageId>(
  { environment, teamId }: TeamPlace,
  id: Id,
  params: PageParams<Id>,
  query: Query = {},
): string {
  const values = { ...(params as Record<string, string>), teamId }
  const path = routeOf(environment, id).replace(/\/:(\w+)\??/g, (_, name: keyof typeof values) => {
    const value = values[name]
    return value === undefined ? '' : `/${encodeURIComponent(value)}`
  })
  return path + queryText(query)
}

/** The first page that matches a path. Rows with a fixed segment come before rows with a parameter. */
export function pageAt(environment: EnvironmentName, pathname: string): PageId | undefined {
  const segments = pathname.slice(basePath(environment).length).split('/').filter(Boolean)
  return pageIds.find((id) => {
    const rest = pages[id].of === 'person' ? segments : segments.slice(1)
    const parts = pages[id].path.split('/').filter(Boolean)
    return (
      rest.length <= parts.length &&
      parts.every((part, at) =>
        part.startsWith(':') ? rest[at] !== undefined || part.endsWith('?') : part === rest[at],
      )
    )
  })
}
