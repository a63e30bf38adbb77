import { buildBatches, type RequestBatch } from '#provider/engine/buildBatches.ts'
import { type BuildInput, buildRequests } from '#provider/engine/buildRequests.ts'
import type { Ended } from './ended.ts'
import { recorded, spoilt } from './endings.ts'
import type { Ready } from './ready.ts'
import type { DeliveryWorld } from './world.ts'

/** The requests for deliveries of one channel, in their order, and how those end for which none is made, by their place. */
export type Calls = { calls: readonly RequestBatch[]; ended: ReadonlyMap<number, Ended> }

type More = Pick<BuildInput, 'token' | 'testMode'>
export type CallsWorld = Pick<DeliveryWorld, 'clock' | 'log' | 'random' | 'keep'>

const inputOf = ({ delivery, outgoing, script, secrets }: Ready, more: More, now: number): BuildInput => ({
  ...outgoing,
  ...more,
  secrets,
  purchaseValueMode: script.purchaseValueMode,
  ...(delivery.stepResults && { stepResults: delivery.stepResults }),
  now,
})

/** Makes the requests; where making one throws, that delivery alone fails. */
export function makeCalls(ready: readonly Ready[], more: More, on: CallsWorld): Calls {
  const only = ready[0]
  if (!only || ready.length > 1) return callsForMany(ready, more, on)
  try {
    return callsForOne(only, more, on)
  } catch (error) {
    return { calls: [], ended: new Map([[0, spoilt(error, only.delivery, on)]]) }
  }
}

function callsForOne(ready: Ready, more: More, on: CallsWorld): Calls {
  const { provider, script, outgoing } = ready
  const built = buildRequests(script.providerId, provider, inputOf(ready, more, on.clock.now()))
  if ('skipped' in built) return { calls: [], ended: new Map([[0, { status: 'skipped', reason: built.skipped }]]) }
  if (provider.journalLines)
    return { calls: [], ended: new Map([[0, recorded(provider.journalLines(outgoing.event), ready)]]) }
  if (built.requests.length === 0)
    return { calls: [], ended: new Map([[0, { status: 'skipped', reason: 'filtered' }]]) }
  const { requests, nextStep } = built
  const calls = requests.map((request) => ({ request, eventIndexes: [0], ...(nextStep && { nextStep }) }))
  return { calls, ended: new Map() }
}

function callsForMany(ready: readonly Ready[], more: More, on: CallsWorld): Calls {
  const { script, provider } = ready[0]!
  const now = on.clock.now()
  try {
    const inputs = ready.map((each) => inputOf(each, more, now))
    const { batches, skipped } = buildBatches(script.providerId, provider, inputs)
    const ended = skipped.map(({ at, skipped: reason }) => [at, { status: 'skipped', reason }] as const)
    return { calls: batches, ended: new Map(ended) }
  } catch {
    return inTurn(ready.map((each) => makeCalls([each], more, on))) // the one that throws is found by itself
  }
}

/** What was made for each delivery by itself, as if it had been made together. */
function inTurn(made: readonly Calls[]): Calls {
  const calls = made.flatMap((each, at) => each.calls.map((call) => ({ ...call, eventIndexes: [at] })))
  const ended = made.flatMap((each, at) => Array.from(each.ended.values(), (one) => [at, one] as const))
  return { calls, ended: new Map(ended) }
}
