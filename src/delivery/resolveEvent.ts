import { agrees, allowsWithPii, type Consent, decideConsent, withoutSaleOptOut } from '#consent/consent.ts'
import { withProof } from '#consent/consentProof.ts'
import { readStatedConsent, type StoredConsent } from '#consent/statedConsent.ts'
import { consentKey } from '#consent/text/consentKey.ts'
import { objectionsOf } from '#consent/usObjections.ts'
import { vendorConsentStrings } from '#consent/vendorConsentStrings.ts'
import type { Place } from '#contract/journey.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { RecordEvent } from '#event/record.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import type { PluginResult } from '#plugin/plugin.ts'
import { runPlugins } from '#plugin/runPlugins.ts'
import type { ConsentStrings } from '#provider/form/consentSignals.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { deviceOf } from '#user/outboundPerson.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { eventLocation } from './eventLocation.ts'
import { consentsOf, historyOf, lastPlace, type ResolvedUser, resolveUser } from './resolveUser.ts'

/**
 * Runs the tag's plugins on an event, before any channel gets it. User updates and consents skip the plugins. So do
 * events that a plugin added: the plugins ran on them when they were added.
 */
export function applyPlugins(
  { event, context }: Pick<RecordEvent, 'event' | 'context'>,
  { tag, user }: { tag: Snapshot; user: Pick<ResolvedUser, 'own' | 'email'> },
  deps: Pick<DeliveryDeps, 'plugins' | 'rates' | 'clock'>,
): PluginResult {
  if (tag.plugins.length === 0 || context.kind !== undefined || context.isMadeByCode) return { event }
  const { userAgent } = deviceOf(event, context)
  const rates = deps.rates()
  return runPlugins(event, tag.plugins, deps.plugins, {
    history: historyOf(context, user),
    now: deps.clock.now(),
    ...(rates && { rates }),
    ...(userAgent && { userAgent }),
  })
}

/** The stored consents that were given after an event arrived, and whether the event contains personal data. */
export type LaterConsents = { consents: readonly StoredConsent[]; sharePii: boolean }

/** The part of a decision that all channels share. It is made once, journalled with the plan and used by the attempts. */
export type ResolvedEvent = {
  /** The deployment that the decision was made for. */
  tag: Snapshot
  user: ResolvedUser
  pluginResult: PluginResult
  place: Place
  consent: Consent
  /** The consent in the event itself. */
  ownConsent?: StoredConsent
  later: LaterConsents
  /** The position of the refusal log at the decision. */
  refusalMark: number
}

export type ResolveEventDeps = Parameters<typeof resolveUser>[2] &
  Pick<DeliveryDeps, 'brand' | 'locate' | 'plugins' | 'rates' | 'clock'>
/** Dependencies of retrying a failed profile read. */
export type RetryDeps = Pick<DeliveryDeps, 'clock' | 'log'> & { giveUp: AbortSignal }

/** Resolves the user, plugins, location and consent of an event, in this order. Rethrows errors of plugins. */
export async function resolveEvent(
  recordEvent: RecordEvent,
  tag: Snapshot,
  deps: ResolveEventDeps,
  retry?: RetryDeps,
): Promise<ResolvedEvent | 'erased'> {
  const { event, context } = recordEvent
  const refusalMark = deps.profiles.refusals.mark()
  const user = await (retry ? lookUpUser(recordEvent, tag, deps, retry) : resolveUser(recordEvent, tag, deps))
  if (user.isErased) return 'erased'
  const pluginResult = applyPlugins(recordEvent, { tag, user }, deps)
  const place = eventLocation(event, context, lastPlace(context, user), deps.locate)
  const known = consentsOf(user)
  const stated = readStatedConsent(event, context.receivedAt, deps.brand, tag, context.callTexts)
  const key = consentKey(deps.brand)
  const decided = decideConsent({ stated, context, tag, known })
  const strings = vendorConsentStrings(recordEvent, { key, stated, own: known.own, source: decided.trace.source })
  const consent = strings ? withStrings(decided, strings) : decided
  const later = { consents: consentsAfter(context, known, consent), sharePii: consent.sharePii }
  return {
    tag,
    user,
    pluginResult,
    place,
    consent,
    later,
    refusalMark,
    ...(stated.consent && { ownConsent: withProof(stated.consent, recordEvent, key) }),
  }
}

const withStrings = (consent: Consent, strings: ConsentStrings): Consent => {
  const { signals, limited } = consent
  return {
    ...consent,
    signals: { ...signals, strings },
    ...(limited && { limited: { ...limited, signals: { ...limited.signals, strings } } }),
  }
}

/**
 * The consents given after the event, as they apply to a channel. `limitsUse`: the channel's vendor can limit its use of
 * data.
 */
export function laterOf({ later, consent }: Pick<ResolvedEvent, 'later' | 'consent'>, limitsUse?: true): LaterConsents {
  if (!limitsUse || !consent.limited) return later
  return { consents: later.consents.map(withoutSaleOptOut), sharePii: consent.limited.sharePii }
}

async function lookUpUser(
  recordEvent: RecordEvent,
  tag: Snapshot,
  deps: ResolveEventDeps,
  retry: RetryDeps,
): Promise<ResolvedUser> {
  let user: ResolvedUser | undefined
  const read = async () => {
    user = await resolveUser(recordEvent, tag, deps)
  }
  await retryUntilDone('read a user profile', read, retry, retry.giveUp)
  if (!user) throw new Error('The worker stopped before the user of the event was read.')
  return user
}

/** The later consents of the users involved in the decision. A trusted call with a consent decides for the person. */
function consentsAfter(
  { receivedAt, trusted }: RecordEvent['context'],
  { own, joined = [], claimed = [] }: ReturnType<typeof consentsOf>,
  { trace: { source } }: Consent,
): readonly StoredConsent[] {
  const others = joined.length === 0 && source === 'stored' && !own ? claimed : joined
  return [own, ...(trusted && source === 'event' ? [] : others)].filter(
    (each) => each !== undefined && each.at > receivedAt,
  ) as StoredConsent[]
}

/**
 * True if a consent given after the event arrived refuses this script. The event's own consent decides on arrival; an
 * attempt or a replay may be days later. If personal data is shared, the later consent must allow that too.
 */
export function isWithdrawn(
  { consents, sharePii }: LaterConsents,
  tag: Pick<Snapshot, 'consent' | 'tcf'>,
  script: Pick<SnapshotScript, 'providerId' | 'name'>,
  category: ConsentCategory,
): boolean {
  const asked = tag.consent === 'disabled' ? consents.flatMap((each) => objectionsOf(each) ?? []) : consents
  return asked.some((each) => !(sharePii ? allowsWithPii : agrees)(each, script, category, tag.tcf))
}

/**
 * True while a decision is valid: the tag was not deployed again, and none of the event's users has refused since.
 */
export function isCurrent(
  { tag, user, ownConsent, refusalMark }: ResolvedEvent,
  deployed: Snapshot,
  { userId }: Pick<RecordEvent, 'userId'>,
  { profiles }: Pick<ResolveEventDeps, 'profiles'>,
): boolean {
  if (tag !== deployed) return false
  if (profiles.refusals.mark() === refusalMark) return true
  const { email, customer } = user
  const users = [userId, user.userId, ...(email?.confirmed ? [email.confirmed.userId] : [])]
  const claimants = email?.claimants.map((each) => each.userId) ?? []
  const devices = customer?.others.map((each) => each.userId) ?? []
  const keys = [email, customer].flatMap((each) => each?.key ?? [])
  const names = [...users, ...claimants, ...devices, ...keys].map((name) => `${tag.tagId}/${name}`)
  return !profiles.refusals.hasSince(refusalMark, names, ownConsent)
}
