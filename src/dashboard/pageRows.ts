import type { Scope } from '#contract/scopes.ts'

/** One page: its path below the team, what it needs, its query names, and the letter that opens it after `g`. */
export type PageRow = {
  path: string
  /** The help page, below `/docs/`, with an anchor if it has one. */
  docs: string
  /** The part of the navigation. A page of the person has no team in its address. */
  of: 'team' | 'tag' | 'person'
  /** The page is only offered with one of these scopes. */
  scopes: readonly Scope[]
  /** The query names that the page reads; every filter is in the address. */
  query?: readonly string[]
  letter?: string
  /** Whether the navigation lists it. Pages of one object are opened from a list. */
  isListed: boolean
}

const range = ['range', 'from', 'to'] as const
const deliveryFilters = ['name', 'status', 'reason', 'channel', 'http', 'visitor', 'order', 'customer'] as const

/** Every page of the dashboard. Router, navigation, palette and tests are made from these rows. */
export const pages = {
  me: { path: 'me', docs: 'accounts', of: 'person', scopes: [], isListed: false },
  operator: { path: 'operator', docs: 'operating', of: 'person', scopes: [], isListed: false },
  team: { path: '', docs: 'tags-and-deployments', of: 'team', scopes: ['tag:read'], letter: 'h', isListed: true },
  newTag: { path: 'tags/new', docs: 'tags-and-deployments', of: 'team', scopes: ['tag:write'], isListed: false },
  moveIn: {
    path: 'move-in',
    docs: 'dashboard#moving-in',
    of: 'team',
    scopes: ['tag:write', 'script:write'],
    query: ['tag'],
    isListed: false,
  },
  overview: {
    path: 'tags/:tagId',
    docs: 'dashboard',
    of: 'tag',
    scopes: ['event:read'],
    query: range,
    letter: 'o',
    isListed: true,
  },
  live: {
    path: 'tags/:tagId/live',
    docs: 'journal#live',
    of: 'tag',
    scopes: ['event:read'],
    query: ['name', 'status', 'channel'],
    letter: 'l',
    isListed: true,
  },
  events: {
    path: 'tags/:tagId/events',
    docs: 'journal#events',
    of: 'tag',
    scopes: ['event:read'],
    query: [...deliveryFilters, ...range],
    letter: 'e',
    isListed: true,
  },
  event: {
    path: 'tags/:tagId/events/:eventId',
    docs: 'event-journey',
    of: 'tag',
    scopes: ['event:read'],
    query: ['caller', 'delivery'],
    isListed: false,
  },
  deliveries: {
    path: 'tags/:tagId/deliveries',
    docs: 'journal#deliveries',
    of: 'tag',
    scopes: ['event:read'],
    query: [...deliveryFilters, ...range],
    letter: 'd',
    isListed: true,
  },
  channels: {
    path: 'tags/:tagId/channels',
    docs: 'providers',
    of: 'tag',
    scopes: ['script:read'],
    letter: 'c',
    isListed: true,
  },
  newChannel: {
    path: 'tags/:tagId/channels/new/:providerId?',
    docs: 'providers',
    of: 'tag',
    scopes: ['script:write'],
    isListed: false,
  },
  channel: {
    path: 'tags/:tagId/channels/:scriptId',
    docs: 'incidents#a-channel-has-stopped',
    of: 'tag',
    scopes: ['script:read'],
    query: range,
    isListed: false,
  },
  editChannel: {
    path: 'tags/:tagId/channels/:scriptId/edit',
    docs: 'secret-entries',
    of: 'tag',
    scopes: ['script:write'],
    query: ['field'],
    isListed: false,
  },
  orders: {
    path: 'tags/:tagId/orders',
    docs: 'orders',
    of: 'tag',
    scopes: ['order:read'],
    query: ['channel', 'cell', ...range],
    letter: 'b',
    isListed: true,
  },
  order: {
    path: 'tags/:tagId/orders/:orderId',
    docs: 'orders',
    of: 'tag',
    scopes: ['order:read'],
    query: ['channel', 'cell', ...range],
    isListed: false,
  },
  match: {
    path: 'tags/:tagId/match-quality',
    docs: 'match-quality',
    of: 'tag',
    scopes: ['event:read'],
    query: ['name', ...range],
    letter: 'q',
    isListed: true,
  },
  replays: {
    path: 'tags/:tagId/replays',
    docs: 'replay',
    of: 'tag',
    scopes: ['replay:read'],
    query: ['from', 'to', 'status', 'name', 'channel'],
    letter: 'r',
    isListed: true,
  },
  replay: {
    path: 'tags/:tagId/replays/:replayId',
    docs: 'replay',
    of: 'tag',
    scopes: ['replay:read'],
    isListed: false,
  },
  deployments: {
    path: 'tags/:tagId/deployments',
    docs: 'tags-and-deployments#deployments',
    of: 'tag',
    scopes: ['tag:read', 'script:read'],
    letter: 'p',
    isListed: true,
  },
  deployment: {
    path: 'tags/:tagId/deployments/:number',
    docs: 'tags-and-deployments#deployments',
    of: 'tag',
    scopes: ['tag:read', 'script:read'],
    isListed: false,
  },
  playground: {
    path: 'tags/:tagId/playground',
    docs: 'playground',
    of: 'tag',
    scopes: ['script:write'],
    query: ['channel'],
    letter: 'w',
    isListed: true,
  },
  consent: {
    path: 'tags/:tagId/consent',
    docs: 'consent',
    of: 'tag',
    scopes: ['script:read', 'tag:read'],
    letter: 'n',
    isListed: true,
  },
  plugins: {
    path: 'tags/:tagId/plugins',
    docs: 'plugins',
    of: 'tag',
    scopes: ['tag:read', 'manifest:read'],
    isListed: true,
  },
  visitors: {
    path: 'tags/:tagId/visitors',
    docs: 'identity',
    of: 'tag',
    scopes: ['user:read'],
    letter: 'v',
    isListed: true,
  },
  visitor: {
    path: 'tags/:tagId/visitors/:userId',
    docs: 'identity',
    of: 'tag',
    scopes: ['user:read'],
    isListed: false,
  },
  install: { path: 'tags/:tagId/install', docs: 'sdk', of: 'tag', scopes: ['tag:read'], letter: 'i', isListed: true },
  settings: {
    path: 'tags/:tagId/settings',
    docs: 'tags-and-deployments',
    of: 'tag',
    scopes: ['tag:read'],
    letter: 's',
    isListed: true,
  },
  members: {
    path: 'members',
    docs: 'accounts#people',
    of: 'team',
    scopes: ['member:read'],
    letter: 'm',
    isListed: true,
  },
  applications: {
    path: 'applications',
    docs: 'accounts#applications',
    of: 'team',
    scopes: ['application:write'],
    letter: 'a',
    isListed: true,
  },
  hooks: {
    path: 'hooks',
    docs: 'tags-and-deployments#deploy-hooks',
    of: 'team',
    scopes: ['hook:read'],
    letter: 'k',
    isListed: true,
  },
  alerts: { path: 'alerts', docs: 'alerts', of: 'team', scopes: ['event:read'], letter: 't', isListed: true },
  policies: { path: 'policies', docs: 'accounts', of: 'team', scopes: ['policy:read'], isListed: true },
  audit: {
    path: 'audit',
    docs: 'accounts',
    of: 'team',
    scopes: ['audit:read'],
    query: ['by', 'what', 'object', 'from', 'to'],
    letter: 'u',
    isListed: true,
  },
  teamSettings: { path: 'settings', docs: 'accounts', of: 'team', scopes: ['tag:read'], isListed: true },
} as const satisfies Record<string, PageRow>
