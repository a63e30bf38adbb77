import type { ConsentMaps } from '#contract/edge.ts'
import type { TagEvent } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { EventContext } from '#event/record.ts'
import { isSelected } from '#event/select.ts'
import type { ConsentSignal, ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { categoryMap, providerMap } from './maps.ts'

/** What a user has agreed to, and when (epoch ms). */
export type StoredConsent = ConsentMaps & { at: number }

/** What is stored of the people of an event: of the one whose id it came under, and of the one who was found by its e-mail. */
export type Known = { own?: StoredConsent | undefined; joined?: StoredConsent | undefined }

export type Consent = {
  trace: ConsentTrace
  /** `category` is the script's own or, where it has none, its provider's. */
  allows(script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory): boolean
  /** False: every identifying field is stripped before a provider sees the event. */
  sharePii: boolean
  /** What the maps say about each category, for vendors with consent fields. */
  signals: ConsentSignals
}

type Storage = TagEvent['storage']
type ConsentTag = Pick<Snapshot, 'consent' | 'gpc' | 'scripts'>
type Asked = {
  event: Pick<TagEvent, 'storage' | 'timestamp'>
  context: Pick<EventContext, 'gpc' | 'trusted' | 'presented'>
  tag: ConsentTag
  /** `Service`: consent stands at `storage.service.consent` */
  brand: string
  known?: Known
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
    signals: signalsOf(deciding, gpc),
  }
}

type Decision = { source: ConsentTrace['source']; deciding: readonly StoredConsent[] }

/**
 * The event's own consent decides, else what is stored of who presented the id. Who was found by e-mail may be somebody else
 * than the caller, whose yes does not undo this person's no: then both must agree. This person's yes alone is enough where
 * the caller named nobody else; and a trusted caller speaks for both.
 */
function decide({ event, context, tag, brand, known: { own, joined } = {} }: Asked): Decision {
  if (tag.consent === 'disabled') return { source: 'disabled', deciding: [] }
  const said = consentIn(event.storage, brand, tag)
  if (said) {
    const dated = { ...said, at: event.timestamp }
    return { source: 'event', deciding: joined && !context.trusted ? [dated, joined] : [dated] }
  }
  if (!own && (context.presented || !joined)) return { source: 'none', deciding: [] }
  return { source: 'stored', deciding: [own, joined].filter((each) => each !== undefined) }
}

/** `storage.service` */
export const placeOfConsent = (brand: string): string => brand.charAt(0).toLowerCase() + brand.slice(1)

/** The maps that stand in an event; undefined when neither does. */
export function consentIn(
  storage: Storage,
  brand: string,
  tag: { scripts: readonly { name: string }[] },
): ConsentMaps | undefined {
  const kept = storage?.[placeOfConsent(brand)]
  if (typeof kept !== 'object' || kept === null) return undefined
  const { consent, consentCategories } = kept as Record<string, unknown>
  const providers = providerMap(consent, tag.scripts)
  const categories = categoryMap(consentCategories)
  if (!providers && !categories) return undefined
  return { ...(providers && { consent: providers }), ...(categories && { consentCategories: categories }) }
}

/** The consent that an event brings. Not from the future: a clock that is fast must not shut out what is said next. */
export function broughtBy(
  { storage, timestamp }: Asked['event'],
  receivedAt: number,
  brand: string,
  tag: Parameters<typeof consentIn>[2],
): StoredConsent | undefined {
  const maps = consentIn(storage, brand, tag)
  return maps && { ...maps, at: Math.min(timestamp, receivedAt) }
}

/** What is stored after somebody has agreed again: what was agreed to last, and since when it is so. */
export function agreed(before: StoredConsent | undefined, given: StoredConsent | undefined): StoredConsent | undefined {
  if (!given || (before && before.at > given.at)) return before
  return before && isSame(before, given) ? before : given
}

const isSame = (one: ConsentMaps, other: ConsentMaps) => JSON.stringify(mapsOf(one)) === JSON.stringify(mapsOf(other))

const agrees = (maps: ConsentMaps, script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory) =>
  isSelected(maps.consent, script.providerId, script.name) &&
  (category === 'necessary' || isSelected(maps.consentCategories, category))

/** Unlike the other entries this one does not follow `all`: it is allowed until it is refused by name. */
const sharesPii = ({ consentCategories }: ConsentMaps) =>
  consentCategories?.share_pii === undefined || consentCategories.share_pii === true

/** Denied where one of the deciding maps denies it, or by GPC; granted where one grants it; unknown where none mentions it. */
function signal(decisions: readonly (boolean | undefined)[]): ConsentSignal {
  if (decisions.includes(false)) return 'denied'
  return decisions.includes(true) ? 'granted' : 'unknown'
}

/** A category that a map does not name follows its `all`; without `all` it is denied, as in `allows`. `share_pii` follows nothing. */
function signalsOf(deciding: readonly ConsentMaps[], gpc: boolean): ConsentSignals {
  const maps = deciding.flatMap(({ consentCategories }) => (consentCategories ? [consentCategories] : []))
  const decisions = (category: ConsentCategory) => maps.map((map) => isSelected(map, category))
  const byGpc = gpc ? [false] : []
  return {
    advertising: signal([...decisions('advertising'), ...byGpc]),
    analytics: signal(decisions('analytics')),
    functional: signal(decisions('functional')),
    sharePii: signal([
      ...maps.map(({ share_pii }) => (share_pii === undefined ? undefined : share_pii === true)),
      ...byGpc,
    ]),
  }
}

function traceOf(source: ConsentTrace['source'], deciding: readonly StoredConsent[], gpc: boolean): ConsentTrace {
  const [first, second] = deciding
  if (!first) return gpc ? { source, decided: { gpc } } : { source }
  const decided = { ...mapsOf(first), ...(second && { stored: mapsOf(second) }), ...(gpc && { gpc }) }
  return { source, at: first.at, decided }
}

/** The maps without the time. */
export const mapsOf = ({ consent, consentCategories }: ConsentMaps): ConsentMaps => ({
  ...(consent && { consent }),
  ...(consentCategories && { consentCategories }),
})
