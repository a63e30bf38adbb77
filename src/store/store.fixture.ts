import { deliveryIdOf } from './deliveryId.ts'
import type { Snapshot } from './snapshot.ts'
import type {
  DeploymentRecord,
  DueDelivery,
  PlannedDelivery,
  PlannedEvent,
  Priority,
  ScriptRecord,
  SecretVersion,
  Store,
  StoreChange,
  TagRecord,
  TagSettings,
  TeamRecord,
  TokenRecord,
} from './store.ts'
import type { UserLookupKeys, UserStore, UserWrite } from './users.ts'

/** The location of a store. Opening it again opens the same data. */
export type StoreLocation = { open(): Promise<Store>; remove(): Promise<void> }

export const at = 1_790_000_000_000
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

export const settings: TagSettings = {
  domain: 'example.com',
  hosts: ['d.example.com'],
  allowedOrigins: ['https://example.com'],
  consent: 'enabled',
  gpc: true,
  sameSite: 'Lax',
  serverToken: 'optional',
  plugins: [{ plugin: 'eventRename', settings: { from: 'a' } }],
}

export const team = (n = 1): TeamRecord => ({
  teamId: `team_${n}`,
  name: `Team ${n}`,
  sealedKey: bytes(`key ${n}`),
  createdAt: at + n,
})

export const token = (n = 1): TokenRecord => ({
  tokenId: `tok_${n}`,
  teamId: 'team_1',
  application: 'cli',
  hash: bytes(`hash ${n}`),
  scopes: ['script:read', 'event:write'],
  createdAt: at,
  expiresAt: at + 1000,
})

export const tag = (n = 1, teamId = 'team_1'): TagRecord => ({
  tagId: `tag_${n}`,
  teamId,
  name: `Tag ${n}`,
  settings,
  createdAt: at + n,
  version: 1,
})

export const script = (n = 1, tagId = 'tag_1'): ScriptRecord => ({
  scriptId: `scr_${n}`,
  tagId,
  teamId: 'team_1',
  name: `Script ${n}`,
  providerId: 'eventSink',
  consentCategory: 'advertising',
  geoRegions: 'EU,-DE',
  purchaseValueMode: 'net',
  filter: { eventName: { $in: ['Purchase'] } },
  map: [{ set: 'data.a', value: null }],
  sample: 0.5,
  secrets: { EVENT_SINK_URL: { secretId: 'sec_1', version: 2 } },
  createdAt: at + n,
  version: 3,
  updatedAt: at + n + 1,
  updatedBy: 'tok_1',
})

export const secret = (version = 1): SecretVersion => ({
  secretId: 'sec_1',
  version,
  scriptId: 'scr_1',
  variable: 'EVENT_SINK_URL',
  type: 'TEXT',
  wrappedKey: bytes('wrapped'),
  ciphertext: bytes(`sealed ${version}`),
  createdAt: at,
})

export const deployment = (number: number, tagId = 'tag_1'): DeploymentRecord => {
  const snapshot: Snapshot = { ...settings, tagId, teamId: 'team_1', number, name: 'Tag', scripts: [] }
  return { tagId, number, snapshot, by: 'tok_1', createdAt: at + number }
}

/** A team with a tag, to which most rows belong. */
export const baseChanges: StoreChange[] = [
  { add: 'team', row: team() },
  { add: 'tag', row: tag() },
]

/** The id of a delivery of `plannedEvent`. */
export const idOf = (position: number, index: number, scriptId: string, receivedAt = at + position): string =>
  deliveryIdOf({ position, index, scriptId, receivedAt })

/** A planned event, by default with one pending delivery for each script. */
export function plannedEvent(position: number, overrides: Partial<PlannedEvent> = {}): PlannedEvent {
  const { index = 0, receivedAt = at + position } = overrides
  const scripts = ['scr_1', 'scr_2']
  const deliveries = scripts.map((scriptId): PlannedDelivery => {
    const deliveryId = idOf(position, index, scriptId, receivedAt)
    return { deliveryId, scriptId, providerId: 'eventSink', status: 'pending' }
  })
  return {
    position,
    index,
    tagId: 'tag_1',
    eventName: 'Purchase',
    userId: 'usr_1',
    receivedAt,
    consent: { source: 'event', at, decided: { all: true } },
    place: { country: 'DE', source: 'request' },
    deliveries,
    ...overrides,
  }
}

/** The due deliveries of one script. */
export async function readDue(
  { journal }: Pick<Store, 'journal'>,
  scriptId: string,
  nowMs: number,
  limit: number,
  priority?: Priority,
): Promise<DueDelivery[]> {
  const found = await journal.due([{ scriptId, limit, ...(priority && { priority }) }], nowMs)
  return found.flat()
}

/** Writes a user, regardless of the stored version. */
export const putUser = (users: UserStore, user: UserWrite['user'], lookupKeys: UserLookupKeys = {}) =>
  users.put([{ user, lookupKeys }])

/** All rows of a list, read in pages. */
export async function allPages<Row>(
  limit: number,
  read: (page: { cursor?: string; limit: number }) => Promise<{ rows: Row[]; next?: string }>,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page: { rows: Row[]; next?: string } = await read({ limit, ...(cursor !== undefined && { cursor }) })
    if (page.rows.length > limit) throw new Error(`A page of at most ${limit} rows has ${page.rows.length}.`)
    rows.push(...page.rows)
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}
