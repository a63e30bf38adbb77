import type { Scope } from '#contract/scopes.ts'

/** One page: its path below the team, what it needs, and the letter that opens it after `g`. */
export type PageRow = {
  path: string
  /** The help page, below `/docs/`, with an anchor if it has one. */
  docs: string
  /** The part of the navigation. A page of the person has no team in its address. */
  of: 'team' | 'tag' | 'person'
  /** The page is only offered with one of these scopes. */
  scopes: readonly Scope[]
  letter?: string
  /** Whether the navigation lists it. Pages of one object are opened from a list. */
  isListed: boolean
}

/** Most pages are of a tag, and in the navigation. */
const usual = { of: 'tag', isListed: true } as const

const rows = {
  me: { path: 'me', docs: 'accounts', of: 'person', scopes: [], isListed: false },
  operator: { path: 'operator', docs: 'operating', of: 'person', scopes: [], isListed: false },
  team: { path: '', docs: 'tags-and-deployments', of: 'team', scopes: ['tag:read'], letter: 'h' },
  newTag: { path: 'tags/new', docs: 'tags-and-deployments', of: 'team', scopes: ['tag:write'], isListed: false },
  moveIn: {
    path: 'move-in',
    docs: 'dashboard#moving-in',
    of: 'team',
    scopes: ['tag:write', 'script:write'],
    isListed: false,
  },
  overview: { path: 'tags/:tagId', docs: 'dashboard', scopes: ['event:read'], letter: 'o' },
  live: { path: 'tags/:tagId/live', docs: 'journal#live', scopes: ['event:read'], letter: 'l' },
  events: { path: 'tags/:tagId/events', docs: 'journal#events', scopes: ['event:read'], letter: 'e' },
  event: { path: 'tags/:tagId/events/:eventId', docs: 'event-journey', scopes: ['event:read'], isListed: false },
  deliveries: { path: 'tags/:tagId/deliveries', docs: 'journal#deliveries', scopes: ['event:read'], letter: 'd' },
  channels: { path: 'tags/:tagId/channels', docs: 'providers', scopes: ['script:read'], letter: 'c' },
  newChannel: {
    path: 'tags/:tagId/channels/new/:providerId?',
    docs: 'providers',
    scopes: ['script:write'],
    isListed: false,
  },
  channel: {
    path: 'tags/:tagId/channels/:scriptId',
    docs: 'incidents#a-channel-has-stopped',
    scopes: ['script:read'],
    isListed: false,
  },
  editChannel: {
    path: 'tags/:tagId/channels/:scriptId/edit',
    docs: 'secret-entries',
    scopes: ['script:write'],
    isListed: false,
  },
  orders: { path: 'tags/:tagId/orders', docs: 'orders', scopes: ['order:read'], letter: 'b' },
  order: { path: 'tags/:tagId/orders/:orderId', docs: 'orders', scopes: ['order:read'], isListed: false },
  match: { path: 'tags/:tagId/match-quality', docs: 'match-quality', scopes: ['event:read'], letter: 'q' },
  replays: { path: 'tags/:tagId/replays', docs: 'replay', scopes: ['replay:read'], letter: 'r' },
  replay: { path: 'tags/:tagId/replays/:replayId', docs: 'replay', scopes: ['replay:read'], isListed: false },
  deployments: {
    path: 'tags/:tagId/deployments',
    docs: 'tags-and-deployments#deployments',
    scopes: ['tag:read', 'script:read'],
    letter: 'p',
  },
  deployment: {
    path: 'tags/:tagId/deployments/:number',
    docs: 'tags-and-deployments#deployments',
    scopes: ['tag:read', 'script:read'],
    isListed: false,
  },
  playground: { path: 'tags/:tagId/playground', docs: 'playground', scopes: ['script:write'], letter: 'w' },
  consent: { path: 'tags/:tagId/consent', docs: 'consent', scopes: ['script:read', 'tag:read'], letter: 'n' },
  plugins: { path: 'tags/:tagId/plugins', docs: 'plugins', scopes: ['tag:read', 'manifest:read'] },
  visitors: { path: 'tags/:tagId/visitors', docs: 'identity', scopes: ['user:read'], letter: 'v' },
  visitor: { path: 'tags/:tagId/visitors/:userId', docs: 'identity', scopes: ['user:read'], isListed: false },
  install: { path: 'tags/:tagId/install', docs: 'sdk', scopes: ['tag:read'], letter: 'i' },
  settings: { path: 'tags/:tagId/settings', docs: 'tags-and-deployments', scopes: ['tag:read'], letter: 's' },
  members: { path: 'members', docs: 'accounts#people', of: 'team', scopes: ['member:read'], letter: 'm' },
  applications: {
    path: 'applications',
    docs: 'accounts#applications',
    of: 'team',
    scopes: ['application:write'],
    letter: 'a',
  },
  hooks: { path: 'hooks', docs: 'tags-and-deployments#deploy-hooks', of: 'team', scopes: ['hook:read'], letter: 'k' },
  alerts: { path: 'alerts', docs: 'alerts', of: 'team', scopes: ['event:read'], letter: 't' },
  policies: { path: 'policies', docs: 'accounts', of: 'team', scopes: ['policy:read'] },
  audit: { path: 'audit', docs: 'accounts', of: 'team', scopes: ['audit:read'], letter: 'u' },
  teamSettings: { path: 'settings', docs: 'accounts', of: 'team', scopes: ['tag:read'] },
} as const satisfies Record<string, Omit<PageRow, keyof typeof usual> & Partial<PageRow>>

export type PageId = keyof typeof rows
export type PathOf<Id extends PageId> = (typeof rows)[Id]['path']

/** Every page of the dashboard. Router, navigation, palette and tests are made from these rows. */
export const pages = Object.fromEntries(
  Object.entries(rows).map(([id, row]) => [id, { ...usual, ...row }]),
) as unknown as Record<PageId, PageRow>
