import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BuildInput } from '#provider/build.ts'
import { cart } from '#provider/examples.ts'
import type { Provider } from '#provider/provider.ts'

const { values: flags } = parseArgs({ options: { events: { type: 'string', default: '20000' } } })
const count = Number(flags.events)

// as the server does: from its second start on, no source is read as TypeScript
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/aglet'))
// what the whole process stands on anyway
await import('#contract/event.ts')
await import('undici')
const begun = performance.now()
const { providers } = await import('#providers/index.ts')
const loadMs = performance.now() - begun
const { buildRequests } = await import('#provider/build.ts')
const { exampleInput } = await import('#provider/example.ts')
const { identityOf } = await import('#provider/identity.ts')

/** What only the page sends has nothing to be built. */
const isSent = ({ examples }: Provider) => examples.some(({ sends, test }) => !('skipped' in sends) && !test)
const all = (Object.entries(providers) as [string, Provider][]).filter(([, provider]) => isSent(provider))
console.log(`loading ${Object.keys(providers).length} providers: ${loadMs.toFixed(0)} ms`)

/** A person of a shop who is known by the e-mail, the browser and the click. */
const personOf = (n: number) => ({
  email: `person-${n}@shop.example`,
  userId: `usr_${n}`,
  ip: '81.2.69.142',
  userAgent: 'Mozilla/5.0',
})

/** Events of as many persons, each with the secrets and captures of an example that is sent. */
function inputsFor({ examples }: Provider, from: number, most: number): BuildInput[] {
  const { event, captured, secrets } = examples.find(({ sends, test }) => !('skipped' in sends) && !test)!
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

/** Seconds of this thread's own time: what others do on the machine does not count. */
function cpuOf(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

const chunk = 1_000
function rateOf(id: string, provider: Provider): number {
  let seconds = 0
  for (let from = -2 * chunk; from < count; from += chunk) {
    const inputs = inputsFor(provider, from, chunk)
    const spent = cpuOf(() => inputs.forEach((input) => void buildRequests(id, provider, input)))
    if (from >= 0) seconds += spent
  }
  return count / seconds
}

for (const [id, provider] of all)
  console.log(`${id} | ${Math.round(rateOf(id, provider)).toLocaleString('en')} events built per CPU second`)

/** The same event for all channels that it goes to: with one identity, and with one for each channel. */
const [one, each] = [true, false].map((isShared) => {
  const inputs = all.map(([id, provider]) => ({ id, provider, input: inputsFor(provider, 0, 1)[0]! }))
  return cpuOf(() => {
    for (let n = 0; n < 2_000; n++) {
      const shared = identityOf(personOf(n))
      for (const { id, provider, input } of inputs)
        buildRequests(id, provider, { ...input, identity: isShared ? shared : identityOf(personOf(n)) })
    }
  })
})
console.log(
  `one event for ${all.length} channels: identity made once ${((one! / 2_000) * 1e6).toFixed(0)} µs, for each channel ${((each! / 2_000) * 1e6).toFixed(0)} µs`,
)
