import type { EnvironmentName } from '#contract/me.ts'
import type { Scope } from '#contract/scopes.ts'

/** One page: its path below the team, what it needs, its query names, and the letter that opens it after `g`. */
export type PageRow = {
  path: string
  /** What the page is about: it stands in that part of the navigation. */
  of: 'team' | 'tag'
  /** Without one of these scopes the page is not offered. */
  scopes: readonly Scope[]
  /** The names of the query that the page reads; every filter stands in the address. */
  query?: readonly string[]
  letter?: string
  /** Whether the navigation lists it. Pages of one object are reached from their list. */
  isListed: boolean
}

const range = ['range', 'from', 'to'] as const
const deliveryFilters = ['name', 'status', 'reason', 'channel', 'http', 'visitor'] as const

/** Every page of the dashboard. Router, navigation, palette and tests are made from these rows. */
export const pages = {
  team: { path: '', of: 'team', scopes: ['tag:read'], letter: 'h', isListed: true },
  newTag: { path: 'tags/new', of: 'team', scopes: ['tag:write'], isListed: false },
  overview: { path: 'tags/:tagId', of: 'tag', scopes: ['event:read'], query: range, letter: 'o', isListed: true },
  live: {
    path: 'tags/:tagId/live',
    of: 'tag',
    scopes: ['event:read'],
    query: ['name', 'status', 'channel'],
    letter: 'l',
    isListed: true,
  },
  events: {
    path: 'tags/:tagId/events',
    of: 'tag',
    scopes: ['event:read'],
    query: [...deliveryFilters, ...range],
    letter: 'e',
    isListed: true,
  },
  event: {
    path: 'tags/:tagId/events/:eventId',
    of: 'tag',
    scopes: ['event:read'],
    query: ['caller', 'delivery'],
    isListed: false,
  },
  deliveries: {
    path: 'tags/:tagId/deliveries',
    of: 'tag',
    scopes: ['event:read'],
    query: [...deliveryFilters, ...range],
    letter: 'd',
    isListed: true,
  },
  channels: { path: 'tags/:tagId/channels', of: 'tag', scopes: ['script:read'], letter: 'c', isListed: true },
  newChannel: {
    path: 'tags/:tagId/channels/new/:providerId?',
    of: 'tag',
    scopes: ['script:write'],
    isListed: false,
  },
  channel: { path: 'tags/:tagId/channels/:scriptId', of: 'tag', scopes: ['script:read'], isListed: false },
  editChannel: { path: 'tags/:tagId/channels/:scriptId/edit', of: 'tag', scopes: ['script:write'], isListed: false },
  replays: {
    path: 'tags/:tagId/replays',
    of: 'tag',
    scopes: ['replay:read'],
    query: ['from', 'to', 'status', 'name', 'channel'],
    letter: 'r',
    isListed: true,
  },
  replay: { path: 'tags/:tagId/replays/:replayId', of: 'tag', scopes: ['replay:read'], isListed: false },
  deployments: {
    path: 'tags/:tagId/deployments',
    of: 'tag',
    scopes: ['tag:read', 'script:read'],
    letter: 'p',
    isListed: true,
  },
  deployment: {
    path: 'tags/:tagId/deployments/:number',
    of: 'tag',
    scopes: ['tag:read', 'script:read'],
    isListed: false,
  },
  playground: {
    path: 'tags/:tagId/playground',
    of: 'tag',
    scopes: ['script:write'],
    query: ['channel'],
    letter: 'w',
    isListed: true,
  },
  consent: { path: 'tags/:tagId/consent', of: 'tag', scopes: ['script:read', 'tag:read'], letter: 'n', isListed: true },
  visitors: {
    path: 'tags/:tagId/visitors',
    of: 'tag',
    scopes: ['user:read'],
    letter: 'v',
    isListed: true,
  },
  visitor: { path: 'tags/:tagId/visitors/:userId', of: 'tag', scopes: ['user:read'], isListed: false },
  install: { path: 'tags/:tagId/install', of: 'tag', scopes: ['tag:read'], letter: 'i', isListed: true },
  settings: { path: 'tags/:tagId/settings', of: 'tag', scopes: ['tag:read'], letter: 's', isListed: true },
  members: { path: 'members', of: 'team', scopes: ['member:read'], letter: 'm', isListed: true },
  applications: { path: 'applications', of: 'team', scopes: ['application:write'], letter: 'a', isListed: true },
  hooks: { path: 'hooks', of: 'team', scopes: ['hook:read'], letter: 'k', isListed: true },
  alerts: { path: 'alerts', of: 'team', scopes: ['event:read'], letter: 't', isListed: true },
  policies: { path: 'policies', of: 'team', scopes: ['policy:read'], isListed: true },
  audit: {
    path: 'audit',
    of: 'team',
    scopes: ['audit:read'],
    query: ['by', 'what', 'object', 'from', 'to'],
    letter: 'u',
    isListed: true,
  },
  teamSettings: { path: 'settings', of: 'team', scopes: ['tag:read'], isListed: true },
} as const satisfies Record<string, PageRow>

export type PageId = keyof typeof pages
export const pageIds = Object.keys(pages) as PageId[]

/** `:tagId` and `:providerId?` of a path. */
type ParamsOf<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? ParamsOf<Part> & ParamsOf<Rest>
  : Path extends `:${infer Name}?`
    ? { [K in Name]?: string }
    : Path extends `:${infer Name}`
      ? { [K in Name]: string }
      : unknown
export type PageParams<Id extends PageId> = ParamsOf<(typeof pages)[Id]['path']>
export type Query = Readonly<Record<string, string | undefined>>

/** The team and environment of an address. */
export type TeamPlace = { environment: EnvironmentName; teamId: string }

/** `/dashboard` or `/sandbox/dashboard`. */
export const basePath = (environment: EnvironmentName) =>
  environment === 'production' ? '/dashboard' : `/${environment}/dashboard`

/** The control API of an environment, below the same origin. */
export const apiPath = (environment: EnvironmentName) => (environment === 'production' ? '/v1' : `/${environment}/v1`)

/** Both environments, in the order of the menu. */
export const environments: readonly EnvironmentName[] = ['production', 'sandbox']

export const environmentOf = (pathname: string): EnvironmentName =>
  /^\/sandbox\/dashboard(\/|$)/.test(pathname) ? 'sandbox' : 'production'

/** The pattern of a page for the router. */
export const routeOf = (environment: EnvironmentName, id: PageId) =>
  `${basePath(environment)}/:teamId/${pages[id].path}`.replace(/\/$/, '')

/** The query of an address, in the order given; values that are absent or empty are left out. */
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

/** The page of a path, the first that matches; a fixed segment goes before a parameter because of the order of rows. */
export function pageAt(environment: EnvironmentName, pathname: string): PageId | undefined {
  const rest = pathname.slice(basePath(environment).length).split('/').filter(Boolean).slice(1)
  return pageIds.find((id) => {
    const parts = pages[id].path.split('/').filter(Boolean)
    return (
      rest.length <= parts.length &&
      parts.every((part, at) =>
        part.startsWith(':') ? rest[at] !== undefined || part.endsWith('?') : part === rest[at],
      )
    )
  })
}
