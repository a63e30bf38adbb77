import type { ConsentMaps } from '#contract/edge.ts'
import type { ConsentMap, TagEvent } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { EventContext } from '#event/record.ts'
import { isSelected } from '#event/select.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { Stance } from '#store/users.ts'
import { categoryMap, providerMap } from './maps.ts'

/** What a user has agreed to, and when (epoch ms). */
export type StoredConsent = ConsentMaps & { at: number }

/**
 * What is stored of the people of an event. `own`: of the user that the event is of. `others`: of those who are known by its
 * e-mail besides; what one of them refuses is refused. They do not count where the user's own word does because a trusted
 * call gave the e-mail for this user (`ownsEmail`).
 */
export type Known = {
  own?: StoredConsent | undefined
  others?: readonly StoredConsent[]
  ownsEmail?: boolean
}

export type Consent = {
  trace: ConsentTrace
  /** `category` is the script's own or, where it has none, its provider's. */
  allows(script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory): boolean
  /** False: every identifying field is stripped before a provider sees the event. */
  sharePii: boolean
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
  const decision = decide(asked)
  const gpc = asked.tag.gpc && asked.context.gpc === true
  const given = decision.source !== 'none'
  const all = [...decision.deciding, ...(decision.others ?? [])]
  return {
    trace: traceOf(decision, gpc),
    allows: (script, category) =>
      given && !(gpc && category === 'advertising') && all.every((maps) => agrees(maps, script, category)),
    sharePii: given && !gpc && all.every(sharesPii),
  }
}

type Decision = {
  source: ConsentTrace['source']
  deciding: readonly StoredConsent[]
  others?: readonly StoredConsent[]
}

/**
 * The event's own consent decides, else what is stored of its user. Those who are known by the e-mail may be somebody else
 * than the caller, whose yes does not undo their no: then all must agree. What all of them agree to is enough only where the
 * caller named nobody else; and the consent of a trusted caller speaks for all.
 */
function decide({ event, context, tag, brand, known = {} }: Asked): Decision {
  const { own, ownsEmail } = known
  if (tag.consent === 'disabled') return { source: 'disabled', deciding: [] }
  const others = known.others ?? []
  const said = consentIn(event.storage, brand, tag)
  if (said) {
    const isAlone = context.trusted || ownsEmail
    return { source: 'event', deciding: [{ ...said, at: event.timestamp }], others: isAlone ? [] : others }
  }
  if (own) return { source: 'stored', deciding: [own], others: ownsEmail ? [] : others }
  if (context.presented || others.length === 0) return { source: 'none', deciding: [] }
  return { source: 'stored', deciding: [], others }
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

/** Whether a consent lets a channel have an event. */
export const agrees = (
  maps: ConsentMaps,
  script: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
) =>
  isSelected(maps.consent, script.providerId, script.name) &&
  (category === 'necessary' || isSelected(maps.consentCategories, category))

/** Unlike the other entries this one does not follow `all`: it is allowed until it is refused by name. */
const sharesPii = ({ consentCategories }: ConsentMaps) =>
  consentCategories?.share_pii === undefined || consentCategories.share_pii === true

/** So many maps of others are shown: anybody may claim an e-mail, and a trace is kept with each event. */
const mostShown = 3

function traceOf({ source, deciding: [own], others = [] }: Decision, gpc: boolean): ConsentTrace {
  const first = own ?? others[0]
  if (!first) return gpc ? { source, decided: { gpc } } : { source }
  const rest = own ? others : others.slice(1)
  const shown = [...new Set(rest.map((each) => JSON.stringify(mapsOf(each))))].slice(0, mostShown)
  const decided = {
    ...mapsOf(first),
    ...(shown.length > 0 && { others: shown.map((maps): unknown => JSON.parse(maps)) }),
    ...(gpc && { gpc }),
  }
  const joined = others.length > 0 && { joinedBy: 'email' as const }
  return { source, ...(first !== refusesAll && { at: first.at }), decided, ...joined }
}

/** The maps without the time. */
export const mapsOf = ({ consent, consentCategories }: ConsentMaps): ConsentMaps => ({
  ...(consent && { consent }),
  ...(consentCategories && { consentCategories }),
})

/** Whether somebody who agreed to this lets a channel have what names the person. */
export const letsHave = (
  maps: ConsentMaps,
  script: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
): boolean => agrees(maps, script, category) && sharesPii(maps)

/** How a user counts among others: `agrees` only where nothing at all is refused, by whatever name. */
export function stanceOf(consent: ConsentMaps | undefined): Stance {
  if (!consent) return 'unasked'
  const maps = [consent.consent, consent.consentCategories].filter((map) => map !== undefined)
  const isOpen = (map: ConsentMap) => map.all === true && Object.values(map).every(isYes)
  return maps.length > 0 && maps.every(isOpen) ? 'agrees' : 'refuses'
}

const isYes = (entry: ConsentMap[string]): boolean =>
  typeof entry === 'boolean' ? entry : Object.values(entry).every((each) => each)

/** Refuses everything: what may have been refused by users whose consent is not known. */
export const refusesAll: StoredConsent = { at: 0, consent: { all: false } }
