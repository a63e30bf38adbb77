import type { DeliveryFacts } from '#contract/deliveryFacts.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Delivery } from '#contract/journey.ts'
import type { FalseRule } from '#contract/rule/ruleFields.ts'
import { explainWords as words } from '#dashboard/words/en/explain.ts'
import { ruleWords } from '#dashboard/words/en/rules.ts'
import { list } from '#dashboard/words/format.ts'

/** A value of a condition as a person reads it; long values are cut. */
function operandText(operand: unknown): string {
  if (Array.isArray(operand)) return list(operand.slice(0, 10).map(operandText))
  const text = typeof operand === 'string' ? `“${operand}”` : JSON.stringify(operand)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

const comparator = /^\$(?:eq|neq|gte?|lte?|n?in|startsWith|endsWith|contains|regex|exist)$/

/** `data.value is at least 10` for the condition at `filter.data.value.$gte`. */
function conditionText({ path, condition }: FalseRule): string {
  const [, ...parts] = path.split('.')
  const last = parts.at(-1) ?? ''
  const isPlain = parts.every((part) => !part.startsWith('$')) && (typeof condition !== 'object' || condition === null)
  if (isPlain) return ruleWords.asks(parts.join('.'), '$eq', operandText(condition))
  const isOfField = comparator.test(last) && parts.slice(0, -1).every((part) => !part.startsWith('$'))
  if (isOfField) return ruleWords.asks(parts.slice(0, -1).join('.'), last, operandText(condition))
  return `${parts.join('.')}: ${operandText(condition)}`
}

/** Why a channel's rules skip an event. */
function ruleSentence(rule: FalseRule): string {
  if (rule.path === 'sample') return ruleWords.notSampled(Math.round(Number(rule.condition) * 10_000) / 100)
  if (rule.path.startsWith('rename.')) return ruleWords.renamedToNothing(rule.path.slice('rename.'.length))
  return ruleWords.notSent(conditionText(rule))
}

/** The setting to change; the page names it. */
type ExplainAction = 'regions' | 'channel' | 'key' | undefined
type Explanation = { sentence: string; action: ExplainAction }

type Facts = Pick<Delivery, 'why' | 'attempts'> & { eventName: string }

/** The vendor's message in the last attempt. */
const lastMessage = ({ attempts }: Facts) => attempts.at(-1)?.message

function consent(facts: NonNullable<DeliveryFacts['consent']> | undefined): string {
  if (!facts) return words.consent.plain
  const needs = words.category(facts.category)
  return facts.refusedBy === 'provider' ? words.consent.provider : words.consent[facts.refusedBy](needs)
}

function region(facts: NonNullable<DeliveryFacts['region']> | undefined): string {
  if (!facts) return words.regionPlain
  const { country, region: part } = facts.place
  return words.region(facts.regions, part ?? country)
}

function filtered(facts: NonNullable<DeliveryFacts['filtered']> | undefined): string {
  if (facts?.rule) return ruleSentence(facts.rule)
  if (facts?.plugin) return words.filteredByPlugin(facts.plugin)
  return facts?.setting === 'origin' ? words.filteredByOrigin : words.filteredPlain
}

/** A sentence for every reason: a new reason without one does not compile. */
const byReason: Record<DeliveryReason, (facts: Facts) => Explanation> = {
  consent: ({ why }) => ({ sentence: consent(why?.consent), action: 'channel' }),
  region: ({ why }) => ({ sentence: region(why?.region), action: 'regions' }),
  notSelected: () => ({ sentence: words.notSelected, action: undefined }),
  filtered: ({ why }) => ({ sentence: filtered(why?.filtered), action: why?.filtered?.rule ? 'channel' : undefined }),
  identityMissing: ({ why }) => ({
    sentence: why?.identityMissing ? words.identityMissing(why.identityMissing.needs) : words.identityMissingPlain,
    action: undefined,
  }),
  eventNotSupported: ({ why, eventName }) => ({
    sentence: words.eventNotSupported(eventName, why?.eventNotSupported?.takes ?? []),
    action: undefined,
  }),
  tooOld: ({ why }) => ({
    sentence: why?.tooOld ? words.tooOld(why.tooOld.ageMs, why.tooOld.maxAgeMs) : words.tooOldPlain,
    action: undefined,
  }),
  duplicate: () => ({ sentence: words.duplicate, action: undefined }),
  keyRejected: () => ({ sentence: words.keyRejected, action: 'key' }),
  payloadRefused: (facts) => ({
    sentence: facts.why?.payloadRefused
      ? ruleWords.exceeds(facts.why.payloadRefused.rule)
      : words.payloadRefused(lastMessage(facts)),
    action: facts.why?.payloadRefused ? 'channel' : undefined,
  }),
  addressNotAllowed: () => ({ sentence: words.addressNotAllowed, action: 'channel' }),
  vendorDown: () => ({ sentence: words.vendorDown, action: undefined }),
  throttled: () => ({ sentence: words.throttled, action: undefined }),
  poison: () => ({ sentence: words.poison, action: undefined }),
  expired: () => ({ sentence: words.expired, action: undefined }),
  erased: () => ({ sentence: words.erased, action: undefined }),
}

/** Why a delivery has its status, and what can be changed. */
export function explain({ status, reason, ...delivery }: Delivery, eventName: string): Explanation {
  const facts = { ...delivery, eventName }
  if (status === 'held' && reason === 'duplicate') return { sentence: words.heldForShop, action: undefined }
  if (reason) return byReason[reason](facts)
  if (status === 'dead' || status === 'refused') return { sentence: words.dead(lastMessage(facts)), action: 'channel' }
  const sentence = { delivered: words.delivered, simulated: words.simulated, held: words.held, pending: words.pending }
  return { sentence: status === 'skipped' ? words.filteredPlain : sentence[status], action: undefined }
}
