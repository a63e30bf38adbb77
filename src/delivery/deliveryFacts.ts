import type { DeliveryFacts } from '#contract/deliveryFacts.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { TagEvent } from '#contract/event.ts'
import type { ConsentTrace, Place } from '#contract/journey.ts'
import { eventLimits } from '#event/eventLimits.ts'
import type { EventContext } from '#event/record.ts'
import type { Provider } from '#provider/form/provider.ts'
import { rulesOf } from '#rule/compileRules.ts'
import type { RulePerson } from '#rule/personFields.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { consentRefusal, neededCategory, type TextSettings } from './consentCheck.ts'

/** A delivery that was not sent, with the inputs of its decision. */
export type DecidedDelivery = {
  reason: DeliveryReason
  script: SnapshotScript
  /** Absent if this build lacks the provider. */
  provider?: Provider
  consent: ConsentTrace
  settings?: TextSettings | undefined
  place: Place
  /** The time of the decision (epoch ms). */
  at: number
  /** The event as received; absent once retention has deleted it. */
  recorded?: { event: TagEvent; context: EventContext }
  /** The plugin that filtered the event. */
  filteredBy?: string
  /** The event after the plugins, and its person, as the channel's rules read them. */
  ruled?: { event: TagEvent; person: RulePerson; userId: string }
}

/** The facts behind the reason of a delivery; undefined if its attempts explain the reason. Pure. */
export function deliveryFacts(decided: DecidedDelivery): DeliveryFacts | undefined {
  const { reason, script, provider, place, recorded, filteredBy, at } = decided
  if (reason === 'consent') return { consent: consentFacts(decided) }
  if (reason === 'region') return { region: { regions: script.geoRegions ?? '', place } }
  if (reason === 'notSelected') return recorded && { notSelected: { providers: recorded.event.providers ?? null } }
  if (reason === 'filtered') {
    const isOwnEvent = recorded?.context.originScriptIds?.includes(script.scriptId)
    if (isOwnEvent) return { filtered: { setting: 'origin' } }
    return filteredBy === undefined ? ruleFacts(decided) : { filtered: { plugin: filteredBy } }
  }
  if (reason === 'payloadRefused') return mapFacts(decided)
  if (!provider) return undefined
  if (reason === 'identityMissing')
    return { identityMissing: { needs: (provider.requires ?? []).map((each) => [each].flat() as string[]) } }
  if (reason === 'eventNotSupported') {
    const takesCustom = provider.customEventName !== undefined || provider.eventMapping !== undefined
    return { eventNotSupported: { takes: Object.keys(provider.events), takesCustom } }
  }
  if (reason === 'tooOld' && provider.maxAgeMs !== undefined && recorded)
    return { tooOld: { maxAgeMs: provider.maxAgeMs, ageMs: Math.round(at - recorded.event.timestamp) } }
  return undefined
}

/** The condition that the event does not meet. */
function ruleFacts({ script, place, ruled }: DecidedDelivery): DeliveryFacts | undefined {
  if (!ruled) return undefined
  const { event, person, userId } = ruled
  const rule = rulesOf(script)?.whyFiltered({ event, place, hasKey: (key) => person[key] !== undefined }, userId)
  return rule && { filtered: { rule } }
}

/** The rule that made the event exceed a limit; undefined if the vendor refused the event. */
function mapFacts({ script, ruled }: DecidedDelivery): DeliveryFacts | undefined {
  const mapped = ruled && rulesOf(script)?.map(ruled.event, ruled.person, eventLimits)
  return mapped?.refusedBy === undefined ? undefined : { payloadRefused: { rule: mapped.refusedBy } }
}

type ConsentFacts = NonNullable<DeliveryFacts['consent']>

function consentFacts(decided: DecidedDelivery): ConsentFacts {
  const { decided: map } = decided.consent
  const { by: refusedBy, bit } = consentRefusal(decided) ?? { by: 'others' as const }
  return {
    category: neededCategory(decided),
    refusedBy,
    ...(bit !== undefined && { bit }),
    ...(map && { map }),
  }
}
