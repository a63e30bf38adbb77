import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { ConsentMap } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { EventContext } from '#event/record.ts'
import type { ConsentSignal, ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { Stance } from '#store/users.ts'
import type { GivenConsent, StatedConsent, StoredConsent } from './statedConsent.ts'
import { textHasGpc, textRefusal, textSharesPii, textSignal } from './textRefusal.ts'

/**
 * The stored consents that concern an event. `own`: of the user of the event. `joined`: of the other users to whom a
 * trusted call gave the e-mail of the event; what any of them refuses is refused. `claimed`: of those who only claim the
 * e-mail; all of them together may grant, where nobody else has stated anything.
 */
export type StoredConsents = {
  own?: StoredConsent | undefined
  joined?: readonly StoredConsent[]
  claimed?: readonly StoredConsent[]
}

export type Consent = {
  trace: ConsentTrace
  /** Whether an event may be delivered to a script. `category` is the script's own, else its provider's. */
  allows(script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory): boolean
  /** False: every identifying field is removed before a provider gets the event. */
  sharePii: boolean
  /** The decision of the maps for each category, for vendors with consent fields. */
  signals: ConsentSignals
}

type ConsentQuestion = {
  /** What the event says, by `readStatedConsent`. */
  stated: StatedConsent
  context: Pick<EventContext, 'gpc' | 'trusted' | 'hasExplicitUserId'>
  tag: Pick<Snapshot, 'consent' | 'gpc'>
  known?: StoredConsents
}

/** Decides which consent applies to an event, and what it allows. Pure. */
export function decideConsent(question: ConsentQuestion): Consent {
  const decision = decide(question)
  const given = decision.source !== 'none'
  const all = [...decision.deciding, ...(decision.others ?? [])]
  const hasGpc = question.context.gpc === true || all.some(({ texts }) => texts && textHasGpc(texts))
  const gpc = question.tag.gpc && hasGpc
  return {
    trace: traceOf(decision, gpc),
    allows: (script, category) =>
      given && !(gpc && category === 'advertising') && all.every((maps) => agrees(maps, script, category)),
    sharePii: given && !gpc && all.every(sharesPii),
    signals: signalsOf(all, gpc),
  }
}

type ConsentDecision = {
  source: ConsentTrace['source']
  isUnanswered?: true
  deciding: readonly StoredConsent[]
  others?: readonly StoredConsent[]
}

/**
 * The consent in the event decides, else the stored consent of its user. The users to whom a trusted call gave the
 * e-mail may be other people than the caller, so a consent of an untrusted caller does not override their refusal.
 * Claimants of the e-mail may be anybody: they neither override nor restrict what is stated, and decide, all together,
 * only where the caller sent no user id and nothing is stated. An event of a visitor who has not answered yet has the
 * visitor's earlier answer, and nobody else's.
 */
function decide({ stated, context, tag, known = {} }: ConsentQuestion): ConsentDecision {
  const { own, joined: others = [], claimed = [] } = known
  if (tag.consent === 'disabled') return { source: 'disabled', deciding: [] }
  if (stated.consent) return { source: 'event', deciding: [stated.consent], others: context.trusted ? [] : others }
  const { isUnanswered } = stated
  if (own) return { source: 'stored', deciding: [own], others }
  if (isUnanswered) return { source: 'none', deciding: [], isUnanswered }
  const alone = others.length > 0 ? others : claimed
  if (context.hasExplicitUserId || alone.length === 0) return { source: 'none', deciding: [] }
  return { source: 'stored', deciding: [], others: alone }
}

/** The later of two consents; the earlier one where both are equal, so that `at` is the time since when it holds. */
export function mergeConsent(
  before: StoredConsent | undefined,
  given: StoredConsent | undefined,
): StoredConsent | undefined {
  if (!given || (before && before.at > given.at)) return before
  return before && isSame(before, given) ? before : given
}

const isSame = (one: GivenConsent, other: GivenConsent) =>
  JSON.stringify([withoutTime(one), one.texts]) === JSON.stringify([withoutTime(other), other.texts])

/** Whether a consent allows the delivery of an event to a script. */
export const agrees = (
  { consent, consentCategories, texts }: GivenConsent,
  { providerId, name }: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
) =>
  isSelected(consent, providerId, name) &&
  (category === 'necessary' || isSelected(consentCategories, category)) &&
  (!texts || textRefusal(texts, providerId, category) === undefined)

/**
 * Unlike the other entries `share_pii` does not follow `all`: it is allowed unless it is set to something else than
 * true.
 */
const sharesPii = ({ consentCategories, texts }: GivenConsent) =>
  (consentCategories?.share_pii === undefined || consentCategories.share_pii === true) &&
  (!texts || textSharesPii(texts))

/** Denied if a deciding map or GPC denies it; granted if a map grants it; unknown if no map decides it. */
function signal(decisions: readonly (boolean | undefined)[]): ConsentSignal {
  if (decisions.includes(false)) return 'denied'
  return decisions.includes(true) ? 'granted' : 'unknown'
}

/**
 * A category without an entry follows `all` and is denied without `all`, as in `allows`. `share_pii` does not follow
 * `all`.
 */
function signalsOf(deciding: readonly GivenConsent[], gpc: boolean): ConsentSignals {
  const maps = deciding.flatMap(({ consentCategories }) => (consentCategories ? [consentCategories] : []))
  const texts = deciding.flatMap((each) => each.texts ?? [])
  const decisions = (category: 'advertising' | 'analytics' | 'functional') => [
    ...maps.map((map) => isSelected(map, category)),
    ...texts.map((text) => textSignal(text, category)),
  ]
  const byGpc = gpc ? [false] : []
  return {
    advertising: signal([...decisions('advertising'), ...byGpc]),
    analytics: signal(decisions('analytics')),
    functional: signal(decisions('functional')),
    sharePii: signal([
      ...maps.map(({ share_pii }) => (share_pii === undefined ? undefined : share_pii === true)),
      ...texts.map((text) => (textSharesPii(text) ? undefined : false)),
      ...byGpc,
    ]),
  }
}

/** Bounds the other users' maps in a trace, which is stored with each event: anybody may claim an e-mail. */
const maxTracedOthers = 3

function traceOf({ isUnanswered, ...decision }: ConsentDecision, gpc: boolean): ConsentTrace {
  const trace = tracedMaps(decision, gpc)
  return isUnanswered ? { ...trace, state: 'unanswered' } : trace
}

function tracedMaps({ source, deciding: [own], others = [] }: ConsentDecision, gpc: boolean): ConsentTrace {
  const first = own ?? others[0]
  if (!first) return gpc ? { source, decided: { gpc } } : { source }
  const rest = own ? others : others.slice(1)
  const shown = [...new Set(rest.map((each) => JSON.stringify(withoutTime(each))))].slice(0, maxTracedOthers)
  const decided = {
    ...withoutTime(first),
    ...own?.texts,
    ...(shown.length > 0 && { others: shown.map((maps): unknown => JSON.parse(maps)) }),
    ...(gpc && { gpc }),
  }
  const joined = others.length > 0 && { joinedBy: 'email' as const }
  return { source, ...(first !== refusesAll && { at: first.at }), decided, ...joined }
}

export const withoutTime = ({ consent, consentCategories }: ConsentMaps): ConsentMaps => ({
  ...(consent && { consent }),
  ...(consentCategories && { consentCategories }),
})

/** Whether a consent allows the delivery of an event with identifying fields to a script. */
export const allowsWithPii = (
  maps: GivenConsent,
  script: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
): boolean => agrees(maps, script, category) && sharesPii(maps)

/** The stance of a user for events of others with the same e-mail: `agrees` only if no entry of any map refuses. */
export function stanceOf(consent: GivenConsent | undefined): Stance {
  if (!consent) return 'unasked'
  if (consent.texts) return 'refuses' // a text decides for each vendor
  const maps = [consent.consent, consent.consentCategories].filter((map) => map !== undefined)
  const isOpen = (map: ConsentMap) => map.all === true && Object.values(map).every(isYes)
  return maps.length > 0 && maps.every(isOpen) ? 'agrees' : 'refuses'
}

const isYes = (entry: ConsentMap[string]): boolean =>
  typeof entry === 'boolean' ? entry : Object.values(entry).every((each) => each)

/** Refuses everything. It stands for users whose consent is unknown, because they are too many to read. */
export const refusesAll: StoredConsent = { at: 0, consent: { all: false } }
