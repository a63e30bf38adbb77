import { isStandardEvent, type TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { type Identity, resolve } from './identity.ts'
import { eventValue } from './money.ts'
import { holds, rawContacts, withoutContacts } from './privacy.ts'
import type { Captured, Provider, Skip } from './provider.ts'
import { readEvent } from './read.ts'
import type { WireRequest } from './send.ts'
import { wireOf } from './wire.ts'

/** What a provider's requests are made of. */
export type BuildInput = {
  event: TagEvent
  /** `identityOf(person)`, made once per event for all its channels. */
  identity: Identity
  captured: Captured
  /** The person's custom keys. */
  custom?: Readonly<Record<string, unknown>>
  purchaseValueMode: ValueMode
  /** Plaintexts by variable; an empty one counts as unset. */
  secrets: Readonly<Record<string, string>>
  /** The clock, epoch ms. */
  now: number
}
export type Built = { requests: WireRequest[] } | Skip

/** The vendor's name for an event; undefined where the provider does not send it. */
export function theirName(provider: Provider, eventName: string): string | undefined {
  return isStandardEvent(eventName) ? provider.events[eventName] : provider.custom?.(eventName)
}

export const isTooOld = ({ maxAgeMs }: Provider, timestamp: number, now: number): boolean =>
  maxAgeMs !== undefined && now - timestamp > maxAgeMs

/** The required variables that have no value. */
export const missingSecrets = ({ secrets }: Provider, given: Readonly<Record<string, string>>): string[] =>
  Object.keys(secrets).filter((variable) => !secrets[variable]!.optional && !given[variable])

function isKnown(
  { requires }: Provider,
  user: Readonly<Record<string, string | undefined>>,
  captured: Captured,
): boolean {
  const has = (sign: string) =>
    sign.startsWith('captured.') ? Boolean(captured[sign.slice('captured.'.length)]?.value) : Boolean(user[sign])
  return !requires || requires.some(has)
}

function declared(id: string, provider: Provider, given: Readonly<Record<string, string>>): Record<string, string> {
  const missing = missingSecrets(provider, given)
  // control writes no script without them: that it lies here is a bug
  if (missing.length > 0) throw new Error(`a script of ${id} lacks ${missing.join(', ')}`)
  const set = Object.keys(provider.secrets).filter((variable) => given[variable])
  return Object.freeze(Object.fromEntries(set.map((variable) => [variable, given[variable]!])))
}

/** The requests by which a provider is told of an event, as they go over the wire; or why it is not told. */
export function buildRequests(id: string, provider: Provider, input: BuildInput): Built {
  const { event, payload } = readEvent(input.event)
  const name = theirName(provider, event.eventName)
  if (name === undefined) return { skipped: 'eventNotSupported' }
  if (isTooOld(provider, event.timestamp, input.now)) return { skipped: 'tooOld' }
  const user = resolve(provider.user, input.identity)
  if (!isKnown(provider, user, input.captured)) return { skipped: 'identityMissing' }
  const contacts = rawContacts(input.identity.person, provider.user)
  const value = eventValue(event, input.purchaseValueMode)
  const dispatch = Object.freeze({
    event: withoutContacts(event, contacts),
    payload,
    user,
    custom: Object.freeze({ ...input.custom }),
    captured: Object.freeze({ ...input.captured }),
    now: input.now,
    ...(value !== undefined && { value }),
  })
  const told = provider.request(dispatch, declared(id, provider, input.secrets), name)
  if ('skipped' in told) return told
  const requests = [told].flat().map((send) => wireOf(send, input.now))
  const leaks = contacts && requests.some((request) => holds(request, contacts))
  return leaks ? { skipped: 'payloadRefused' } : { requests }
}
