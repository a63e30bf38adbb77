import type { ConsentMap, TagEvent } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { EventContext } from '#event/record.ts'
import { isSelected } from '#event/select.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { categoryMap, providerMap } from './maps.ts'

/** The two maps of a consent. One that was never given does not restrict. */
export type ConsentMaps = { consent?: ConsentMap; consentCategories?: ConsentMap }

/** What a user has agreed to, and when (epoch ms). */
export type StoredConsent = ConsentMaps & {
  at: number
  /** The user was found by e-mail: the caller may be somebody else, whose yes does not undo this user's no. */
  foundByEmail?: true
}

export type Consent = {
  trace: ConsentTrace
  /** `category` is the script's own or, where it has none, its provider's. */
  allows(script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory): boolean
  /** False: every identifying field is stripped before a provider sees the event. */
  sharePii: boolean
}

type Asked = {
  event: Pick<TagEvent, 'storage' | 'timestamp'>
  context: Pick<EventContext, 'gpc'>
  tag: Pick<Snapshot, 'consent' | 'gpc' | 'scripts'>
  /** `Service`: consent stands at `storage.service.consent` */
  brand: string
  stored?: StoredConsent
}

/** Which consent decides about one event, and what it allows. Pure. */
export function readConsent(asked: Asked): Consent {
  const { source, deciding } = decide(asked)
  const gpc = asked.tag.gpc && asked.context.gpc === true
  const given = source !== 'none'
  return {
    trace: traceOf(source, deciding, gpc),
    allows: (script, category) =>
      given && !(gpc && category === 'advertising') && deciding.every((maps) => agrees(maps, script, category)),
    sharePii: given && !gpc && deciding.every(sharesPii),
  }
}

type Decision = { source: ConsentTrace['source']; deciding: readonly StoredConsent[] }

/** The event's own consent decides, else the stored one. Where there are two, both must agree. */
function decide({ event, tag, brand, stored }: Asked): Decision {
  if (tag.consent === 'disabled') return { source: 'disabled', deciding: [] }
  const own = ownMaps(event.storage, brand, tag)
  if (own) {
    const dated = { ...own, at: event.timestamp }
    return { source: 'event', deciding: stored?.foundByEmail ? [dated, stored] : [dated] }
  }
  return stored ? { source: 'stored', deciding: [stored] } : { source: 'none', deciding: [] }
}

/** The maps that stand in the event; undefined when neither does. */
function ownMaps(storage: TagEvent['storage'], brand: string, tag: Asked['tag']): ConsentMaps | undefined {
  const kept = storage?.[brand.charAt(0).toLowerCase() + brand.slice(1)]
  if (typeof kept !== 'object' || kept === null) return undefined
  const { consent, consentCategories } = kept as Record<string, unknown>
  const providers = providerMap(consent, tag.scripts)
  const categories = categoryMap(consentCategories)
  if (!providers && !categories) return undefined
  return { ...(providers && { consent: providers }), ...(categories && { consentCategories: categories }) }
}

const agrees = (maps: ConsentMaps, script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory) =>
  isSelected(maps.consent, script.providerId, script.name) &&
  (category === 'necessary' || isSelected(maps.consentCategories, category))

/** Unlike the other entries this one does not follow `all`: it is allowed until it is refused by name. */
const sharesPii = ({ consentCategories }: ConsentMaps) =>
  consentCategories?.share_pii === undefined || consentCategories.share_pii === true

function traceOf(source: ConsentTrace['source'], deciding: readonly StoredConsent[], gpc: boolean): ConsentTrace {
  const [first, second] = deciding
  if (!first) return gpc ? { source, decided: { gpc } } : { source }
  const { at, ...maps } = first
  return { source, at, decided: { ...bare(maps), ...(second && { stored: bare(second) }), ...(gpc && { gpc }) } }
}

const bare = ({ consent, consentCategories }: ConsentMaps): ConsentMaps => ({
  ...(consent && { consent }),
  ...(consentCategories && { consentCategories }),
})
