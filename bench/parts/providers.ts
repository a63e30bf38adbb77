import { type BuildInput, buildRequests } from '#provider/engine/buildRequests.ts'
import { exampleInput } from '#provider/engine/exampleRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import { cart } from '#provider/form/exampleData.ts'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { single } from '../load.ts'
import type { Part, Row, Scale } from '../part.ts'
import { eventsFor, sampleDelivery } from '../sample.ts'
import { startScript, startVendor, using } from '../target.ts'

const firstSent = (id: string) => examplesOf(id).find(({ sends, testMode }) => !('skipped' in sends) && !testMode)
/** The providers to which the server sends requests. */
const all = (Object.entries(providers) as [string, Provider][]).filter(([id]) => firstSent(id))

/** A person of a shop, known by e-mail, browser and click. */
const personOf = (n: number) => ({
  email: `person-${n}@shop.example`,
  userId: `usr_${n}`,
  ip: '81.2.69.142',
  userAgent: 'Mozilla/5.0',
})

/** Events of as many persons, each with the secrets and captures of an example that is sent. */
function inputsFor(id: string, from: number, most: number): BuildInput[] {
  const { event, captured, secrets } = firstSent(id)!
  const base = exampleInput({ event, captured: captured ?? {}, secrets })
  return Array.from({ length: most }, (_, n) => ({
    ...base,
    event: {
      ...base.event,
      eventId: `evt-${from + n}`,
      data: { ...cart, ...base.event.data, orderId: `A-${from + n}` },
    },
    identity: identityOf(personOf(from + n)),
  }))
}

/** CPU seconds of this thread, which do not depend on other load. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

const chunk = 500

/** Events whose requests are built per CPU second. */
function rateOf(id: string, provider: Provider, count: number): number {
  let seconds = 0
  for (let from = -2 * chunk; from < count; from += chunk) {
    const inputs = inputsFor(id, from, chunk)
    const spent = cpuOf(() => inputs.forEach((input) => void buildRequests(id, provider, input)))
    if (from >= 0) seconds += spent
  }
  return count / seconds
}

/** CPU ms of an event for all channels, with a shared identity or a separate one for each. */
function eventCpuMs(isShared: boolean): number {
  const events = 500
  const inputs = all.map(([id, provider]) => ({ id, provider, input: inputsFor(id, 0, 1)[0]! }))
  const seconds = cpuOf(() => {
    for (let n = 0; n < events; n++) {
      const shared = identityOf(personOf(n))
      for (const { id, provider, input } of inputs)
        buildRequests(id, provider, { ...input, identity: isShared ? shared : identityOf(personOf(n)) })
    }
  })
  return (seconds / events) * 1_000
}

/** The cost of one event in a forwarder that builds nothing: a baseline for the machine. */
async function forwarder(seconds: number, tell: (row: Row) => void): Promise<void> {
  await using([startVendor()], async ([vendor]) => {
    const words = [vendor!.url, 1]
    await using(
      [startScript({ who: 'bare forwarder', keeps: 'nothing', file: 'forward.ts', words })],
      async ([target]) => {
        const through = { vendor: vendor!, channels: 1, ask: single }
        const events = await eventsFor(target!, { seconds, isQuick: true }, through)
        const { perCpuSecond, cpuUs } = await sampleDelivery(target!, { ...through, events })
        const figures = { perCpuSecond: perCpuSecond!, cpuMs: cpuUs! / 1_000 }
        tell({ size: 'one event to one channel, sent', who: 'bare forwarder', figures })
      },
    )
  })
}

export const providersPart: Part = {
  name: 'providers',
  says: 'Events whose requests are built, for the five slowest providers, the middle one and the fastest; nothing is sent. The goal for one event to all channels is 12 ms where the bare forwarder makes 6,000 a second.',
  onAllCores: true,
  async run({ isQuick, isEvery, seconds }: Scale, tell) {
    const count = isQuick ? 1_000 : 10_000
    const rates = all.map(([id, provider]) => ({ id, perCpuSecond: rateOf(id, provider, count) }))
    rates.sort((one, other) => one.perCpuSecond - other.perCpuSecond)
    const slowest = rates.slice(0, 5)
    const [middle, fastest] = [rates[rates.length >> 1]!, rates.at(-1)!]
    for (const { id, perCpuSecond } of isEvery ? rates : [...slowest, middle, fastest])
      tell({ size: id, who: 'Aglet', figures: { perCpuSecond } })
    await forwarder(seconds, tell)
    const to = `one event to all ${all.length} channels, built`
    tell({ size: `${to}, identity made once`, who: 'Aglet', figures: { cpuMs: eventCpuMs(true) } })
    tell({ size: `${to}, identity made for each`, who: 'Aglet', figures: { cpuMs: eventCpuMs(false) } })
  },
}
