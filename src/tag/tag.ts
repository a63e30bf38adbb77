import { badRequest, fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { HostState, Tag, TagUpdate, TagWrite } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import { pluginIssues } from '#plugin/run.ts'
import { plugins } from '#plugins/index.ts'
import type { Snapshot, Snapshots } from '#script/snapshot.ts'
import { type AuditRow, Conflict, type Store, type TagRecord, type TagSettings } from '#store/store.ts'
import { readDomain, readOrigins } from './domain.ts'
import { readHosts } from './host.ts'

/** What making a tag stands on. */
export type TagWorld = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write'>
  snapshots: Pick<Snapshots, 'put'>
  tagUrl(tagId: string): string
  /** Where the control API is, if it may be elsewhere than the tag URLs. */
  baseUrl?: string
}

/** Who changes something: a token's id or `operator`, and the address the call came from. */
export type By = Pick<AuditRow, 'by' | 'from'>

/** Of a new tag, where nothing is said: as safe as it can be. */
const fresh: Omit<TagSettings, 'domain'> = {
  hosts: [],
  allowedOrigins: [],
  consent: 'enabled',
  gpc: false,
  sameSite: 'Lax',
  serverToken: 'optional',
  plugins: [],
}

const plain = ['consent', 'gpc', 'sameSite', 'serverToken', 'hold', 'sdkVersion', 'edgeVersion', 'plugins'] as const

type Wrong = { issues: Issue[] }

/** What is read of a field that may be left out. */
const listed = <Said, Read extends object>(said: Said | null | undefined, read: (said: Said) => Read | Wrong) =>
  (said == null ? {} : read(said)) as Partial<Read & Wrong>

/** The settings that a write lists, as they are kept. Throws badRequest. */
export function settingsIn(write: TagUpdate, on: Pick<TagWorld, 'tagUrl' | 'baseUrl'>): Partial<TagSettings> {
  const own = [on.tagUrl(''), ...(on.baseUrl ? [on.baseUrl] : [])].map((address) => new URL(address).hostname)
  const { domain, issues: wrongDomain = [] } = listed(write.domain, readDomain)
  const { origins, issues: wrongOrigins = [] } = listed(write.allowedOrigins, readOrigins)
  const { hosts, issues: wrongHosts = [] } = listed(write.hosts, (texts) => readHosts(texts, own))
  const issues = [...wrongDomain, ...wrongOrigins, ...wrongHosts, ...pluginIssues(write.plugins ?? [], plugins)]
  if (issues.length > 0) throw badRequest(...issues)
  const said = plain.flatMap((name) => (write[name] == null ? [] : [[name, write[name]] as const]))
  return {
    ...(domain !== undefined && { domain }),
    ...(hosts && { hosts }),
    ...(origins && { allowedOrigins: origins }),
    ...(Object.fromEntries(said) as Partial<TagSettings>),
  }
}

/** A tag as it is shown; `hostStates` where they were asked for. */
export const showTag = (
  { tagId, name, settings, createdAt }: TagRecord,
  tagUrl: string,
  hostStates?: HostState[],
): Tag => ({
  tagId,
  name,
  hold: 'off',
  sdkVersion: 'latest',
  edgeVersion: 'latest',
  ...settings,
  tagUrl,
  ...(hostStates && { hostStates }),
  createdAt: fullDate(createdAt),
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

/** What a row that must be unique and is there already means to who writes a tag. */
export function tagFault(error: unknown): unknown {
  const unique = error instanceof Conflict ? error.unique : undefined
  return unique === 'tag.name' ? fault('nameTaken') : error
}

/** A tag as the audit tells it. */
export const tagState = ({ name, settings }: TagRecord) => ({ name, ...settings })

/**
 * Makes a tag. Throws badRequest for a domain, a host name or an origin that is none, nameTaken where the team has that
 * name.
 */
export async function createTag(on: TagWorld, teamId: string, by: By, write: TagWrite): Promise<Tag> {
  const at = on.clock.now()
  const settings = { ...fresh, domain: write.domain, ...settingsIn(write, on) }
  const row: TagRecord = { tagId: newId('tag', at), teamId, name: write.name, settings, createdAt: at }
  const { tagId } = row
  const snapshot = firstSnapshot(row)
  const changes = on.store.write([
    { add: 'tag', row },
    { put: 'hosts', tagId, hosts: settings.hosts, at },
    { add: 'deployment', row: { tagId, number: 1, snapshot, by: by.by, createdAt: at } },
    { add: 'audit', row: { at, ...by, what: 'createTag', teamId, object: tagId, after: tagState(row) } },
  ])
  await changes.catch((error) => {
    throw tagFault(error)
  })
  on.snapshots.put(snapshot)
  return showTag(row, on.tagUrl(tagId))
}
