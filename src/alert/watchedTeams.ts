import type { AlertRuleKind } from '#contract/alertKinds.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { AlertPhrase, AlertRuleRecord } from '#store/incidents.ts'
import type { Store } from '#store/store.ts'
import type { WatchedTag } from './alertFigures.ts'
import { phrase } from './alertPhrases.ts'
import { oneLine } from './alertText.ts'

export type WatchedTeamDeps = { store: Pick<Store, 'team' | 'tags' | 'incidents'>; snapshots: Pick<Snapshots, 'get'> }

const pageSize = 200

async function readAll<Row>(
  read: (page: { limit: number; cursor?: string }) => Promise<{ rows: Row[]; next?: string }>,
) {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await read({ limit: pageSize, ...(cursor !== undefined && { cursor }) })
    rows.push(...page.rows)
    if (page.next === undefined) return rows
    cursor = page.next
  }
}

export async function liveTags(teamId: string, { store, snapshots }: WatchedTeamDeps): Promise<WatchedTag[]> {
  const tags = await readAll((page) => store.tags(teamId, page))
  return tags
    .filter(({ tagId }) => snapshots.get(tagId) !== undefined)
    .map(({ tagId, name, createdAt }) => ({ tagId, teamId, name, createdAt }))
}

export const contactsOf = (teamId: string, { store }: Pick<WatchedTeamDeps, 'store'>) =>
  readAll((page) => store.incidents.contactPoints(teamId, page))

/** The disk belongs to the server, not to a tag. */
const serverOf = (teamId: string): WatchedTag => ({ tagId: '', teamId, name: '', createdAt: 0 })

export function tagsOfRule({ settings, teamId }: AlertRuleRecord, tags: readonly WatchedTag[]): readonly WatchedTag[] {
  if (settings.kind === 'disk') return [serverOf(teamId)]
  return settings.tagId === undefined ? tags : tags.filter(({ tagId }) => tagId === settings.tagId)
}

const maxNames = 5
const isOfValues = (kind: AlertRuleKind): kind is 'valuesMissing' | 'eventIssues' =>
  kind === 'valuesMissing' || kind === 'eventIssues'
const isVolume = (kind: AlertRuleKind): kind is 'volumeDrop' | 'volumeRise' =>
  kind === 'volumeDrop' || kind === 'volumeRise'

/** The title of an incident, with the names of its channels. */
export function titleOfIncident(
  { settings }: AlertRuleRecord,
  tag: WatchedTag,
  { snapshots }: Pick<WatchedTeamDeps, 'snapshots'>,
): (subjects: readonly string[]) => AlertPhrase {
  const scripts = snapshots.get(tag.tagId)?.scripts ?? []
  const { kind, eventName } = settings
  const tagName = oneLine(tag.name, 60)
  return (subjects) => {
    if (eventName !== undefined && (isOfValues(kind) || kind === 'silence' || isVolume(kind)))
      return phrase(`${kind}Of`, tagName, oneLine(eventName, 60))
    const names = subjects.map((id) => oneLine(scripts.find(({ scriptId }) => scriptId === id)?.name ?? id, 60))
    const more = names.length - maxNames
    return phrase(kind, tagName, [...names.slice(0, maxNames), ...(more > 0 ? [`+ ${more}`] : [])].join(', '))
  }
}
