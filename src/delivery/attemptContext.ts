import { allowsWithPii } from '#consent/consent.ts'
import { isAnswer } from '#consent/statedConsent.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { codeSecretTexts } from '#provider/engine/codeSecrets.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { TokenOwner } from '#provider/engine/tokenCache.ts'
import type { RawPerson } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive } from '#provider/form/secret.ts'
import { rulesOf } from '#rule/compileRules.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { DueDelivery } from '#store/store.ts'
import { sessionAt } from '#user/session.ts'
import { type AttemptResult, isPoison, poisonResult } from './attemptResult.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import type { NoEvent, OutboundEvent, OutboundEvents } from './outboundEvents.ts'
import { isWithdrawn } from './resolveEvent.ts'
import type { Plaintexts } from './scriptSecrets.ts'

/** Applies the rules of a channel to an event. Returns the result if a rule ends the delivery. */
function applyChannelRules(outgoing: OutboundEvent, script: SnapshotScript): OutboundEvent | AttemptResult {
  const rules = rulesOf(script)
  if (!rules) return outgoing
  const { event, person, identity, kind } = outgoing
  if (kind === undefined && rules.nameOf(event.eventName) === null) return { status: 'skipped', reason: 'filtered' }
  const mapped = rules.map(event, person, eventLimits)
  if (mapped.refusedBy !== undefined) return { status: 'dead', reason: 'payloadRefused' }
  const isSame = mapped.person === person
  return {
    ...outgoing,
    event: mapped.event,
    person: mapped.person as RawPerson,
    identity: isSame ? identity : identityOf(mapped.person as RawPerson),
  }
}

/** A delivery with everything that its requests are built from. */
export type AttemptContext = {
  delivery: DueDelivery
  tag: Snapshot
  provider: Provider
  script: SnapshotScript
  outgoing: OutboundEvent
  /** The user whose click ids and cookies are sent, matched by the event's e-mail. */
  emailMatch?: string
  secrets: Readonly<Record<string, string>>
}

export type AttemptContextDeps = Pick<DeliveryDeps, 'snapshots' | 'providers'> & {
  events: OutboundEvents
  plaintexts: Plaintexts
}

export type LoadedAttempt = AttemptContext | AttemptResult

/**
 * Loads what the requests are built from, or returns the result of a delivery that needs no request. Synchronous if the
 * event and the secrets are in memory, as for nearly all first attempts.
 */
export function loadAttemptContext(
  delivery: DueDelivery,
  deps: AttemptContextDeps,
): LoadedAttempt | Promise<LoadedAttempt> {
  const { tagId, scriptId, position, index } = delivery
  if (isPoison(delivery)) return poisonResult
  const tag = deps.snapshots.get(tagId)
  const script = tag && scriptOf(tag, scriptId)
  if (!tag || !script) return { status: 'dead', reason: 'erased' }
  const provider = deps.providers[script.providerId]
  if (!provider) return { status: 'skipped', reason: 'eventNotSupported' }
  const outgoing = deps.events.outgoing({ position, index }, tag)
  const parts = { delivery, tag, provider, script }
  return outgoing instanceof Promise
    ? outgoing.then((event) => contextOf(event, parts, deps))
    : contextOf(outgoing, parts, deps)
}

function contextOf(
  outgoing: OutboundEvent | NoEvent | 'expired',
  parts: Omit<AttemptContext, 'outgoing' | 'secrets'>,
  deps: Pick<AttemptContextDeps, 'plaintexts'>,
): LoadedAttempt | Promise<LoadedAttempt> {
  const { tag, provider, script } = parts
  if (outgoing === 'filtered') return { status: 'skipped', reason: outgoing }
  if (typeof outgoing === 'string') return { status: 'dead', reason: outgoing }
  const category = script.consentCategory ?? provider.consent[0]
  const given = (provider.limitedUse && outgoing.limited) || outgoing
  if (given.later && isWithdrawn(given.later, tag, script, category)) return { status: 'skipped', reason: 'consent' }
  const ruled = applyChannelRules(given, script)
  if ('status' in ruled) return ruled
  const withEvent = (secrets: AttemptContext['secrets']) => ({ ...parts, secrets, ...withCaptures(ruled, parts) })
  const secrets = deps.plaintexts(tag, script)
  return secrets instanceof Promise ? secrets.then(withEvent) : withEvent(secrets)
}

/**
 * Adds the click ids and cookies that the channel may get. If the event's own user has none, uses those of another user
 * who claims the e-mail: the most recently seen one whose own consent allows this channel. All values and the session
 * come from one user: mixing the click id of one user with the cookie of another identifies nobody.
 */
function withCaptures(
  outgoing: OutboundEvent,
  { tag, provider, script }: Pick<AttemptContext, 'tag' | 'provider' | 'script'>,
): Pick<AttemptContext, 'outgoing' | 'emailMatch'> {
  const category = script.consentCategory ?? provider.consent[0]
  const claimant = outgoing.claimants?.find(
    ({ profile: { consent } }) =>
      tag.consent === 'disabled' ||
      (consent !== undefined && isAnswer(consent) && allowsWithPii(consent, script, category, tag.tcf)),
  )
  if (!claimant) return { outgoing }
  const { captured, session } = claimant.profile
  const theirs = sessionAt(session, outgoing.event.timestamp)
  return { outgoing: { ...outgoing, captured, ...(theirs && { session: theirs }) }, emailMatch: claimant.userId }
}

/**
 * The texts to redact from every record of a delivery. The source of customer code is not a secret, nor are values
 * that `GET /script` returns, such as an address or a pixel id.
 */
export function redactedSecrets(context: Pick<AttemptContext, 'provider' | 'secrets'>): readonly string[] {
  const known = redactedTexts.get(context.secrets)
  if (known) return known
  const texts = Object.freeze(chooseRedacted(context))
  // The secrets of a deployment are frozen, and belong to one provider.
  if (Object.isFrozen(context.secrets)) redactedTexts.set(context.secrets, texts)
  return texts
}

const redactedTexts = new WeakMap<AttemptContext['secrets'], readonly string[]>()

function chooseRedacted({ provider, secrets }: Pick<AttemptContext, 'provider' | 'secrets'>): readonly string[] {
  if (provider.code) return codeSecretTexts(provider.code, secrets)
  const isShown = (variable: string) => {
    const spec = provider.secrets[variable]
    return spec !== undefined && !isSensitive(spec)
  }
  return Object.entries(secrets).flatMap(([variable, value]) => (isShown(variable) ? [] : [value]))
}

const scripts = new WeakMap<Snapshot, ReadonlyMap<string, SnapshotScript>>()

/** A script of a tag, as deployed. The scripts of a snapshot are indexed once. */
export function scriptOf(tag: Snapshot, scriptId: string): SnapshotScript | undefined {
  let byId = scripts.get(tag)
  if (!byId) {
    byId = new Map(tag.scripts.map((script) => [script.scriptId, script]))
    scripts.set(tag, byId)
  }
  return byId.get(scriptId)
}

/** The owner of an access token: the script and its secrets. */
export const tokenOf = ({ script: { scriptId, providerId }, provider, secrets }: AttemptContext): TokenOwner => ({
  scriptId,
  providerId,
  provider,
  secrets,
})
