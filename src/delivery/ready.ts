import { letsHave } from '#consent/consent.ts'
import { hiddenTexts } from '#provider/code.ts'
import type { Provider } from '#provider/provider.ts'
import type { TokenOf } from '#provider/tokens.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { DueDelivery } from '#store/store.ts'
import { type Ended, isPoison, poison } from './ended.ts'
import type { Events, Outgoing } from './events.ts'
import type { Plaintexts } from './secrets.ts'
import type { DeliveryWorld } from './world.ts'

/** A delivery with all that its requests are made of. */
export type Ready = {
  delivery: DueDelivery
  tag: Snapshot
  provider: Provider
  script: SnapshotScript
  outgoing: Outgoing
  /** The user whose click ids and cookies go along, because it claims the e-mail of the event. */
  joined?: string
  secrets: Record<string, string>
}

export type ReadyWorld = Pick<DeliveryWorld, 'snapshots' | 'providers'> & { events: Events; plaintexts: Plaintexts }

/** What is needed to make the requests; or why there will be none. */
export async function makeReady(delivery: DueDelivery, on: ReadyWorld): Promise<Ready | Ended> {
  const { tagId, scriptId, position, index } = delivery
  if (isPoison(delivery)) return poison
  const tag = on.snapshots.get(tagId)
  const script = tag && scriptOf(tag, scriptId)
  if (!tag || !script) return { status: 'dead', reason: 'erased' }
  const provider = on.providers[script.providerId]
  if (!provider) return { status: 'skipped', reason: 'eventNotSupported' }
  const outgoing = await on.events.outgoing({ position, index }, tag)
  if (outgoing === 'filtered') return { status: 'skipped', reason: outgoing }
  if (typeof outgoing === 'string') return { status: 'dead', reason: outgoing }
  const ready = { delivery, tag, provider, script, secrets: await on.plaintexts(tag, script) }
  return { ...ready, ...withCaptures(outgoing, { tag, provider, script }) }
}

/**
 * What a channel is told of an event. Where nothing was captured of its person, it gets what was captured of the user who
 * was seen last of those who claim its e-mail and whose own consent lets this channel have it. All of it is of one user: a
 * click id of one and a cookie of another belong to nobody.
 */
function withCaptures(
  outgoing: Outgoing,
  { tag, provider, script }: Pick<Ready, 'tag' | 'provider' | 'script'>,
): Pick<Ready, 'outgoing' | 'joined'> {
  const category = script.consentCategory ?? provider.consent[0]
  const lender = outgoing.claimants?.find(
    ({ profile: { consent } }) =>
      tag.consent === 'disabled' || (consent !== undefined && letsHave(consent, script, category)),
  )
  if (!lender) return { outgoing }
  return { outgoing: { ...outgoing, captured: lender.profile.captured }, joined: lender.userId }
}

/** What is struck out of all that is told of a delivery. The source of code is no secret, and long. */
export const hiddenOf = ({ provider, secrets }: Pick<Ready, 'provider' | 'secrets'>): string[] =>
  provider.code ? hiddenTexts(provider.code, secrets) : Object.values(secrets)

const scripts = new WeakMap<Snapshot, ReadonlyMap<string, SnapshotScript>>()

/** A script of a tag as it is deployed. */
export function scriptOf(tag: Snapshot, scriptId: string): SnapshotScript | undefined {
  const known = scripts.get(tag) ?? new Map(tag.scripts.map((script) => [script.scriptId, script]))
  scripts.set(tag, known)
  return known.get(scriptId)
}

/** Of which script, with which secrets, a token is. */
export const tokenOf = ({ script: { scriptId, providerId }, provider, secrets }: Ready): TokenOf => ({
  scriptId,
  providerId,
  provider,
  secrets,
})
