import { badRequest, fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { HostState, Tag, TagUpdate, TagWrite } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/fullDate.ts'
import { newId } from '#kit/id.ts'
import { pluginIssues } from '#plugin/runPlugins.ts'
import { plugins } from '#plugins/index.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { type AuditRecord, Conflict, type Store, type TagRecord, type TagSettings } from '#store/store.ts'
import { parseDomain, parseOrigins } from './domain.ts'
import { parseHosts } from './parseHosts.ts'
import { showRevision } from './revision.ts'

/** The dependencies of creating a tag. */
export type TagDeps = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write'>
  /** Puts a snapshot live at once. */
  snapshots: { put(snapshot: Snapshot): void }
  tagUrl(tagId: string): string
  /** The address of the control API, if it differs from that of the tag URLs. */
  baseUrl?: string
}

/** The author of a change: a token's id or `operator`, and the address of the caller. */
export type ChangeAuthor = Pick<AuditRecord, 'by' | 'from'>

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
  'sameSite',
  'serverToken',
  'hold',
  'captureBeforeConsent',
  'sources',
  'sdkVersion',
  'edgeVersion',
  'plugins',
] as const

type FieldIssues = { issues: Issue[] }

/** Reads an optional field; an empty object if it is absent. */
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
  const issues = [...wrongDomain, ...wrongOrigins, ...wrongHosts, ...pluginIssues(write.plugins ?? [], plugins)]
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
  { tagId, name, settings, createdAt, ...revision }: TagRecord,
  tagUrl: string,
  hostStates?: HostState[],
): Tag => ({
  tagId,
  name,
  hold: 'off',
  captureBeforeConsent: 'all',
  sources: [],
  sdkVersion: 'latest',
  edgeVersion: 'latest',
  ...settings,
  tagUrl,
  ...(hostStates && { hostStates }),
  createdAt: fullDate(createdAt),
  ...showRevision({ ...revision, createdAt }),
})

/** Deployment 1: a new tag is live at once, without scripts. */
const firstSnapshot = ({ tagId, teamId, name, settings }: TagRecord): Snapshot => ({
  tagId,
  teamId,
  number: 1,
  name,
  ...settings,
  scripts: [],
})

/** The fault of a Conflict in writing a tag. Other errors are returned unchanged. */
export function toTagFault(error: unknown): unknown {
  const unique = error instanceof Conflict ? error.unique : undefined
  return unique === 'tag.name' ? fault('nameTaken') : error
}

/** A tag in the form of the audit log. */
export const tagAuditState = ({ name, settings }: TagRecord) => ({ name, ...settings })

/**
 * Creates a tag. Throws badRequest for an invalid domain, host name or origin, and nameTaken if the team already has a
 * tag of that name.
 */
export async function createTag(deps: TagDeps, teamId: string, by: ChangeAuthor, write: TagWrite): Promise<Tag> {
  const at = deps.clock.now()
  const settings = { ...defaultSettings, domain: write.domain, ...readTagSettings(write, deps) }
  const revision = { version: 1, updatedAt: at, updatedBy: by.by }
  const row: TagRecord = { tagId: newId('tag', at), teamId, name: write.name, settings, createdAt: at, ...revision }
  const { tagId } = row
  const snapshot = firstSnapshot(row)
  const changes = deps.store.write([
    { add: 'tag', row },
    { put: 'hosts', tagId, hosts: settings.hosts, at },
    { add: 'deployment', row: { tagId, number: 1, snapshot, by: by.by, createdAt: at } },
    { add: 'audit', row: { at, ...by, what: 'createTag', teamId, object: tagId, after: tagAuditState(row) } },
  ])
  await changes.catch((error) => {
    throw toTagFault(error)
  })
  deps.snapshots.put(snapshot)
  return showTag(row, deps.tagUrl(tagId))
}
