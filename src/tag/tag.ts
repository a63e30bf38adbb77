import { badRequest, fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { HostState, Tag, TagUpdate, TagWrite } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/fullDate.ts'
import { newId } from '#kit/id.ts'
import { pluginIssues } from '#plugin/runPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { countryOf } from '#provider/form/country.ts'
import type { Snapshot } from '#store/snapshot.ts'
import {
  type AuditRecord,
  Conflict,
  type Store,
  type StoreChange,
  type TagRecord,
  type TagSettings,
} from '#store/store.ts'
import { parseDomain, parseOrigins } from './domain.ts'
import { parseHosts } from './parseHosts.ts'
import { showRevision } from './revision.ts'
import { showShop } from './shop.ts'

type TagDeps = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write'>
  /** Puts a snapshot live at once. */
  snapshots: { put(snapshot: Snapshot): void }
  tagUrl(tagId: string): string
  /** The address of the control API, if it differs from that of the tag URLs. */
  baseUrl?: string
}

/** `by`: a token's id or `operator`. `from`: the address of the caller. */
type ChangeAuthor = Pick<AuditRecord, 'by' | 'from'>

/**
 * The defaults of a new tag. Consent is required, and the SDK stores and sends nothing before it. A tag that was created
 * without `captureBeforeConsent` keeps `all`.
 */
const defaultSettings: Omit<TagSettings, 'domain'> = {
  hosts: [],
  allowedOrigins: [],
  consent: 'enabled',
  gpc: false,
  sameSite: 'Lax',
  serverToken: 'optional',
  captureBeforeConsent: 'memory',
  plugins: [],
}

const plainFields = [
  'consent',
  'gpc',
  'tcf',
  'saleOptOut',
  'sameSite',
  'serverToken',
  'hold',
  'captureBeforeConsent',
  'defaultCountry',
  'sources',
  'adapters',
  'primaryAdapter',
  'passEventId',
  'sdkVersion',
  'edgeVersion',
  'plugins',
] as const

type FieldIssues = { issues: Issue[] }

const countryIssues = (country: string): Issue[] =>
  country === 'none' || countryOf(country) === country
    ? []
    : [{ path: 'defaultCountry', message: `"${country}" is not an ISO 3166-1 country, such as DE` }]

const readOptional = <Input, Read extends object>(
  input: Input | null | undefined,
  read: (input: Input) => Read | FieldIssues,
) => (input == null ? {} : read(input)) as Partial<Read & FieldIssues>

/** The settings of a write in their stored form. Throws badRequest. */
export function readTagSettings(write: TagUpdate, deps: Pick<TagDeps, 'tagUrl' | 'baseUrl'>): Partial<TagSettings> {
  const serverNames = [deps.tagUrl(''), ...(deps.baseUrl ? [deps.baseUrl] : [])].map(
    (address) => new URL(address).hostname,
  )
  const { domain, issues: wrongDomain = [] } = readOptional(write.domain, parseDomain)
  const { origins, issues: wrongOrigins = [] } = readOptional(write.allowedOrigins, parseOrigins)
  const { hosts, issues: wrongHosts = [] } = readOptional(write.hosts, (texts) => parseHosts(texts, serverNames))
  const wrongCountry = countryIssues(write.defaultCountry ?? 'none')
  const wrongPlugins = pluginIssues(write.plugins ?? [], plugins)
  const issues = [...wrongDomain, ...wrongOrigins, ...wrongHosts, ...wrongCountry, ...wrongPlugins]
  if (issues.length > 0) throw badRequest(...issues)
  const values = plainFields.flatMap((name) => (write[name] == null ? [] : [[name, write[name]] as const]))
  return {
    ...(domain !== undefined && { domain }),
    ...(hosts && { hosts }),
    ...(origins && { allowedOrigins: origins }),
    ...(Object.fromEntries(values) as Partial<TagSettings>),
  }
}

/** A tag as the API returns it; `hostStates` if the caller asked for them. */
export const showTag = (
  {
    tagId,
    name,
    settings: { defaultCountry = 'none', primaryAdapter = 'none', shops = [], ...settings },
    createdAt,
    ...revision
  }: TagRecord,
  tagUrl: string,
  hostStates?: HostState[],
): Tag => ({
  tagId,
  name,
  saleOptOut: 'refuse',
  hold: 'off',
  captureBeforeConsent: 'all',
  sources: [],
  adapters: [],
  passEventId: true,
  sdkVersion: 'latest',
  edgeVersion: 'latest',
  ...settings,
  ...(defaultCountry !== 'none' && { defaultCountry }),
  ...(primaryAdapter !== 'none' && { primaryAdapter }),
  ...(shops.length > 0 && { shops: shops.map(showShop) }),
  tagUrl,
  ...(hostStates && { hostStates }),
  createdAt: fullDate(createdAt),
  ...showRevision({ ...revision, createdAt }),
})

/** The snapshot of a tag without deployments. Its next deployment is number 1. */
export const emptySnapshot = ({ tagId, teamId, name, settings }: TagRecord): Snapshot => ({
  tagId,
  teamId,
  number: 0,
  name,
  ...settings,
  scripts: [],
})

/** The fault for a Conflict in writing a tag. Other errors are returned unchanged. */
export function toTagFault(error: unknown): unknown {
  const unique = error instanceof Conflict ? error.unique : undefined
  return unique === 'tag.name' ? fault('nameTaken') : error
}

/** A tag in the form of the audit log. */
export const tagAuditState = ({ name, settings: { shops, ...settings } }: TagRecord) => ({
  name,
  ...settings,
  ...(shops && { shops: shops.map(showShop) }),
})

/** A new tag with its settings, not stored. Throws badRequest for an invalid domain, host name or origin. */
export function newTagRecord(
  deps: Pick<TagDeps, 'clock' | 'tagUrl' | 'baseUrl'>,
  teamId: string,
  by: string,
  write: TagWrite,
): TagRecord {
  const at = deps.clock.now()
  const settings = { ...defaultSettings, domain: write.domain, ...readTagSettings(write, deps) }
  const revision = { version: 1, updatedAt: at, updatedBy: by }
  return { tagId: newId('tag', at), teamId, name: write.name, settings, createdAt: at, ...revision }
}

/** The rows of a new tag, without its deployment and its audit row. */
export const newTagRows = (row: TagRecord): StoreChange[] => [
  { add: 'tag', row },
  { put: 'hosts', tagId: row.tagId, hosts: row.settings.hosts, at: row.createdAt },
]

/**
 * Creates a tag, which is live at once, without scripts. Throws badRequest for an invalid domain, host name or origin,
 * and nameTaken if the team already has a tag of that name.
 */
export async function createTag(deps: TagDeps, teamId: string, by: ChangeAuthor, write: TagWrite): Promise<Tag> {
  const row = newTagRecord(deps, teamId, by.by, write)
  const { tagId, createdAt: at } = row
  const snapshot = { ...emptySnapshot(row), number: 1 }
  const changes = deps.store.write([
    ...newTagRows(row),
    { add: 'deployment', row: { tagId, number: 1, snapshot, by: by.by, createdAt: at } },
    { add: 'audit', row: { at, ...by, what: 'createTag', teamId, object: tagId, after: tagAuditState(row) } },
  ])
  await changes.catch((error) => {
    throw toTagFault(error)
  })
  deps.snapshots.put(snapshot)
  return showTag(row, deps.tagUrl(tagId))
}
