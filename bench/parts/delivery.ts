import { startMeasured, tagWith } from '../aglet.ts'
import { single } from '../load.ts'
import { counted, type Part, type Row, type Scale } from '../part.ts'
import {
  eventsFor,
  interleaved,
  latencySeconds,
  sampleArrival,
  sampleDelivery,
  steadyEvents,
  withRatio,
} from '../sample.ts'
import { startPeer, startScript, startVendor, type Target, using, type Vendor } from '../target.ts'

const arrivalRate = 100

const startAll = (vendor: Vendor, channels: number, checkout?: string) =>
  startMeasured({
    role: 'all',
    who: checkout ? 'Aglet of the other checkout' : 'Aglet',
    checkout,
    make: (aglet) => tagWith(aglet, 'bench', channels, vendor.url),
  })

const startForwarder = ({ url }: Vendor, channels: number) =>
  startScript({ who: 'bare forwarder', keeps: 'nothing', file: 'forward.ts', words: [url, channels] })

function startPeers({ url }: Vendor, channels: number): Promise<Target | undefined>[] {
  const walkerOs = { who: 'walkerOS', keeps: 'vendor', file: 'walkeros.ts', words: [url, channels] } as const
  const segment = { who: 'analytics-node', keeps: 'memory', file: 'analyticsNode.ts', words: [url] } as const
  // analytics-node supports only one address
  return channels === 1 ? [startPeer(walkerOs), startPeer(segment)] : [startPeer(walkerOs)]
}

async function measure(vendor: Vendor, channels: number, scale: Scale, tell: (row: Row) => void): Promise<void> {
  const peers = scale.isQuick ? [] : startPeers(vendor, channels)
  const others = scale.beside ? [startAll(vendor, channels, scale.beside)] : []
  const started = [startForwarder(vendor, channels), startAll(vendor, channels), ...others, ...peers]
  await using<Target>(started, async (targets) => {
    const sized = []
    const through = { vendor, channels, ask: single }
    for (const target of targets) sized.push({ target, events: await eventsFor(target, scale, through, steadyEvents) })
    const samples = await interleaved(sized, scale.rounds, ({ target, events }) =>
      sampleDelivery(target, { ...through, events }, scale.isQuick ? 0 : target.laterMs),
    )
    const limit = samples[0]!.perSecond!
    for (const [n, { cpuUs: _, ...sample }] of withRatio(samples).entries()) {
      const figures = { ...sample, wallRatio: sample.perSecond! / limit }
      const { who, keeps } = targets[n]!
      tell({ size: `${counted(channels, 'channel')}, as fast as they go`, who, keeps, figures })
    }
    if (channels === 1) await arrival(targets, vendor, scale, tell)
  })
}

async function arrival(targets: Target[], vendor: Vendor, scale: Scale, tell: (row: Row) => void): Promise<void> {
  const at = { vendor, perSecond: arrivalRate, seconds: latencySeconds(scale), ask: single }
  const samples = await interleaved(targets, scale.rounds, (target) => sampleArrival(target, at))
  for (const [n, figures] of samples.entries()) {
    const { who, keeps } = targets[n]!
    tell({ size: `1 channel, ${arrivalRate} events a second`, who, keeps, figures })
  }
}

export const delivery: Part = {
  name: 'delivery',
  says: 'Deliveries from the accepted event until it is at the vendor, beside a bare forwarder that keeps nothing.',
  inQuick: true,
  async run(scale, tell) {
    await using([startVendor()], async ([vendor]) => {
      for (const channels of scale.isQuick ? [1] : [1, 5]) await measure(vendor!, channels, scale, tell)
    })
  },
}
