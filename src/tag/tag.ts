import { badRequest, fault } from '#contract/fault.ts'
import type { Tag, TagWrite } from '#contract/tag.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import type { Snapshot, Snapshots } from '#script/snapshot.ts'
import { type AuditRow, Conflict, type Store, type TagRecord, type TagSettings } from '#store/store.ts'
import { readDomain, readOrigins } from './domain.ts'

/** What making a tag stands on. */
export type TagWorld = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write'>
  snapshots: Pick<Snapshots, 'put'>
  tagUrl(tagId: string): string
}

/** Who changes something: a token's id or `operator`, and the address the call came from. */
export type By = Pick<AuditRow, 'by' | 'from'>

/** The settings of a new tag; what is left out is as safe as it can be. Throws badRequest. */
export function settingsOf(write: TagWrite): TagSettings {
  const domain = readDomain(write.domain)
  const origins = readOrigins(write.allowedOrigins ?? [])
  if ('issues' in domain || 'issues' in origins) {
    throw badRequest(...('issues' in domain ? domain.issues : []), ...('issues' in origins ? origins.issues : []))
  }
  return {
    domain: domain.domain,
    hosts: [],
    allowedOrigins: origins.origins,
    consent: write.consent ?? 'enabled',
    gpc: write.gpc ?? false,
    sameSite: write.sameSite ?? 'Lax',
    serverToken: write.serverToken ?? 'optional',
    plugins: [],
  }
}

/** A tag as it is shown. */
export const showTag = ({ tagId, name, settings, createdAt }: TagRecord, tagUrl: string): Tag => ({
  tagId,
  name,
  ...settings,
  tagUrl,
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

/** Makes a tag. Throws badRequest for a domain or an origin that is none, nameTaken where the team has that name. */
export async function createTag(on: TagWorld, teamId: string, by: By, write: TagWrite): Promise<Tag> {
  const at = on.clock.now()
  const row: TagRecord = {
    tagId: newId('tag', at),
    teamId,
    name: write.name,
    settings: settingsOf(write),
    createdAt: at,
  }
  const { tagId } = row
  const snapshot = firstSnapshot(row)
  const changes = on.store.write([
    { add: 'tag', row },
    { add: 'deployment', row: { tagId, number: 1, snapshot, by: by.by, createdAt: at } },
    { add: 'audit', row: { at, ...by, what: 'createTag', teamId, object: tagId } },
  ])
  await changes.catch((error) => {
    throw error instanceof Conflict && error.unique === 'tag.name' ? fault('nameTaken') : error
  })
  on.snapshots.put(snapshot)
  return showTag(row, on.tagUrl(tagId))
}
