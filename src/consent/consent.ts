import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { ConsentMap } from '#contract/event.ts'
import type { ConsentTrace } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { isSelected } from '#event/providerSelection.ts'
import type { EventContext } from '#event/record.ts'
import type { ConsentSignals } from '#provider/form/consentSignals.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { OverallConsent } from '#store/users.ts'
import { provesSame } from './consentProof.ts'
import { signalsOf } from './consentSignals.ts'
import { type GivenConsent, isAnswer, type StatedConsent, type StoredConsent } from './statedConsent.ts'
import { textHasGpc, textRefusal, textSharesPii, withoutSale } from './text/textRefusal.ts'
import { keepObjections, objectionsOf, withObjections } from './usObjections.ts'

/**
 * The stored consents that concern an event. `own`: of the event's user. `joined`: of the other users to whom a trusted
 * call gave the event's e-mail; a refusal by any of them applies. `claimed`: of users who only claim the e-mail; all of
 * them together may grant, if nobody else has stated anything.
 */
export type StoredConsents = {
  own?: StoredConsent | undefined
  joined?: readonly StoredConsent[]
  claimed?: readonly StoredConsent[]
}

export type Consent = {
  trace: ConsentTrace
  /**
   * True if an event may be delivered to a script. `category`: the script's own, else its provider's. `limitsUse`: the
   * vendor can limit its use of data.
   */
  allows(script: Pick<SnapshotScript, 'providerId' | 'name'>, category: ConsentCategory, limitsUse?: boolean): boolean
  /** If false, every identifying field is removed before a provider gets the event. */
  sharePii: boolean
  /** The decision per category, for vendors with consent fields. */
  signals: ConsentSignals
  /**
   * The consent for vendors that limit their use of data. Set if the person objects only to sale and the tag then sends for
   * limited use.
   */
  limited?: Pick<Consent, 'sharePii' | 'signals'>
}

type ConsentQuestion = {
  /** What the event states, as returned by `readStatedConsent`. */
  stated: StatedConsent
  context: Pick<EventContext, 'gpc' | 'trusted' | 'hasExplicitUserId'>
  tag: Pick<Snapshot, 'consent' | 'gpc' | 'tcf' | 'saleOptOut'>
  known?: StoredConsents
}

/** Decides which consent applies to an event, and what it allows. Pure. */
export function decideConsent(question: ConsentQuestion): Consent {
  const decision = decide(question)
  const { source } = decision
  const all = [...decision.deciding, ...(decision.others ?? [])]
  const hasGpc = question.context.gpc === true || all.some(({ texts }) => texts && textHasGpc(texts))
  const gpc = question.tag.gpc && hasGpc
  const { tcf, saleOptOut } = question.tag
  const isLimited = saleOptOut === 'limitedUse' && all.some(objectsToSaleAlone)
  const forLimitedUse = isLimited ? all.map(withoutSaleOptOut) : all
  const signals = signalsOf(all, gpc, tcf)
  const sharesAll = (given: readonly GivenConsent[]) => source !== 'none' && !gpc && given.every(sharesPii)
  return {
    trace: traceOf(decision, gpc),
    allows: (script, category, limitsUse = false) =>
      source !== 'none' &&
      !(gpc && category === 'advertising') &&
      (limitsUse ? forLimitedUse : all).every((maps) => agrees(maps, script, category, tcf)),
    sharePii: sharesAll(all),
    signals,
    ...(isLimited && {
      limited: {
        sharePii: sharesAll(forLimitedUse),
        signals: { ...signals, sharePii: signalsOf(forLimitedUse, gpc, tcf).sharePii },
      },
    }),
  }
}

const objectsToSaleAlone = ({ texts: { gpp } = {} }: GivenConsent) => gpp !== 'unreadable' && gpp?.saleAlone === true

/** A consent as it applies to vendors that limit their use of data. */
export const withoutSaleOptOut = <Given extends GivenConsent>(given: Given): Given =>
  given.texts ? { ...given, texts: withoutSale(given.texts) } : given

type ConsentDecision = {
  source: ConsentTrace['source']
  isUnanswered?: true
  isByDefault?: true
  deciding: readonly StoredConsent[]
  others?: readonly StoredConsent[]
}

/**
 * The consent in the event decides, else the stored consent of its user. The users to whom a trusted call gave the e-mail
 * may be other people than the caller, so a consent from an untrusted caller does not override their refusal. Claimants of
 * the e-mail may be anybody: they neither override nor restrict a stated consent. All of them together decide only if the
 * caller sent no user id and nothing is stated. If the visitor has not answered yet, only the visitor's own earlier answer
 * applies; the same holds if the page grants consent by default. Objections under US law restrict an answer, and also apply
 * on a tag that needs no consent.
 */
function decide({ stated, context, tag, known = {} }: ConsentQuestion): ConsentDecision {
  const { own, joined: others = [], claimed = [] } = known
  const { consent, byDefault, isUnanswered } = stated
  if (tag.consent === 'disabled')
    return { source: 'disabled', deciding: objectionsOf(consent ?? byDefault) ?? objectionsOf(own) ?? [] }
  if (consent && isAnswer(consent))
    return { source: 'event', deciding: [keepObjections(consent, own)], others: context.trusted ? [] : others }
  const objections = consent ?? objectionsOf(byDefault)?.[0]
  const mine = objections ? withObjections(own, objections) : own
  if (mine && isAnswer(mine)) return { source: 'stored', deciding: [mine], others }
  if (byDefault) {
    const deciding = [mine ? withObjections(byDefault, mine) : byDefault]
    return { source: 'event', isByDefault: true, deciding, others: context.trusted ? [] : others }
  }
  if (isUnanswered) return { source: 'none', deciding: [], isUnanswered }
  const isAlone = others.length > 0 ? others.some(isAnswer) : claimed.length > 0 && claimed.every(isAnswer)
  if (context.hasExplicitUserId || !isAlone) return { source: 'none', deciding: [] }
  return { source: 'stored', deciding: mine ? [mine] : [], others: others.length > 0 ? others : claimed }
}

/**
 * The later of two consents. If both are equal, the earlier one, so that `at` is the time since when it applies. Objections
 * alone do not replace an answer: they are added to it, and a later answer without a GPP string does not end them.
 */
export function mergeConsent(
  before: StoredConsent | undefined,
  given: StoredConsent | undefined,
): StoredConsent | undefined {
  if (!given || (before && before.at > given.at)) return before
  const merged = isAnswer(given) ? keepObjections(given, before) : withObjections(before, given)
  return before && isSame(before, merged) ? before : merged
}

/** True if two consents state the same and come from the same banner. */
const isSame = (one: StoredConsent, other: StoredConsent) =>
  JSON.stringify([withoutTime(one), one.texts]) === JSON.stringify([withoutTime(other), other.texts]) &&
  provesSame(one.proof, other.proof) &&
  provesSame(one.objected, other.objected)

/** True if a consent allows the delivery of an event to a script. */
export const agrees = (
  { consent, consentCategories, texts }: GivenConsent,
  { providerId, name }: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
  settings?: TcfSettings,
) =>
  isSelected(consent, providerId, name) &&
  (category === 'necessary' || isSelected(consentCategories, category)) &&
  (!texts || textRefusal(texts, providerId, category, settings) === undefined)

/**
 * Unlike other entries, `share_pii` does not follow `all`: sharing is allowed unless the entry has a value other than
 * true.
 */
const sharesPii = ({ consentCategories, texts }: GivenConsent) =>
  (consentCategories?.share_pii === undefined || consentCategories.share_pii === true) &&
  (!texts || textSharesPii(texts))

/** Bounds the other users' maps in a trace. A trace is stored with each event, and anybody can claim an e-mail. */
const maxTracedOthers = 3

function traceOf({ isUnanswered, ...decision }: ConsentDecision, gpc: boolean): ConsentTrace {
  const trace = tracedMaps(decision, gpc)
  return isUnanswered ? { ...trace, state: 'unanswered' } : trace
}

function tracedMaps(
  { source, isByDefault, deciding: [own], others = [] }: ConsentDecision,
  gpc: boolean,
): ConsentTrace {
  const first = own ?? others[0]
  if (!first) return gpc ? { source, decided: { gpc } } : { source }
  const rest = own ? others : others.slice(1)
  const shown = [...new Set(rest.map((each) => JSON.stringify(withoutTime(each))))].slice(0, maxTracedOthers)
  const decided = {
    ...withoutTime(first),
    ...own?.texts,
    ...(isByDefault && { byDefault: true }),
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

/** True if a consent allows the delivery of an event with identifying fields to a script. */
export const allowsWithPii = (
  maps: GivenConsent,
  script: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
  settings?: TcfSettings,
): boolean => agrees(maps, script, category, settings) && sharesPii(maps)

/**
 * The effect of a user's consent on events of other users with the same e-mail: `agrees` only if no entry of any map
 * refuses.
 */
export function overallConsentOf(consent: GivenConsent | undefined): OverallConsent {
  if (!consent || (consent.texts && !isAnswer(consent) && !objects(consent))) return 'unasked'
  if (consent.texts) return 'refuses' // a text decides per vendor
  const maps = [consent.consent, consent.consentCategories].filter((map) => map !== undefined)
  const isOpen = (map: ConsentMap) => map.all === true && Object.values(map).every(isYes)
  return maps.length > 0 && maps.every(isOpen) ? 'agrees' : 'refuses'
}

const objects = ({ texts }: GivenConsent) => {
  const { advertising, sharePii } = texts?.gpp && texts.gpp !== 'unreadable' ? texts.gpp : {}
  return advertising !== undefined || sharePii !== undefined
}

const isYes = (entry: ConsentMap[string]): boolean =>
  typeof entry === 'boolean' ? entry : Object.values(entry).every((each) => each)

/** Refuses everything. Used for users whose consent is unknown because there are too many to read. */
export const refusesAll: StoredConsent = { at: 0, consent: { all: false } }
