import { makeCustomer } from '../../test/fake/aglet.ts'
import { bareTag, startMeasured, tagWith } from '../aglet.ts'
import { fifty, type MakeAsk, single } from '../load.ts'
import { counted, type Part, type Row, type Scale } from '../part.ts'
import { interleaved, latencySeconds, sampleIntake, sampleLatency, warmIntake, withRatio } from '../sample.ts'
import { type Peer, startBare, startNginx, startPeer, type Target, using } from '../target.ts'

const latencyRate = 500

type On = { scale: Scale; tell(row: Row): void }

/** A quick run measures code that is still cold. */
async function warmUp(targets: readonly Target[], ask: MakeAsk, { scale }: On): Promise<void> {
  const warm = (target: Target) =>
    scale.isQuick ? sampleIntake(target, 1, ask) : warmIntake(target, ask, ask === fifty ? 50 : 1)
  for (const target of targets) await warm(target)
}

async function compare(size: string, targets: readonly Target[], ask: MakeAsk, deps: On): Promise<void> {
  const { scale, tell } = deps
  await warmUp(targets, ask, deps)
  const samples = await interleaved(targets, scale.rounds, (target) => sampleIntake(target, scale.seconds, ask))
  for (const [n, { cpuUs: _, ...figures }] of withRatio(samples).entries()) {
    const { who, keeps } = targets[n]!
    tell({ size, who, keeps, figures })
  }
}

async function latency(targets: readonly Target[], deps: On): Promise<void> {
  const { scale, tell } = deps
  await warmUp(targets, single, deps)
  const samples = await interleaved(targets, scale.rounds, (target) =>
    sampleLatency(target, latencyRate, latencySeconds(scale), single),
  )
  for (const [n, figures] of samples.entries()) {
    const { who, keeps } = targets[n]!
    tell({ size: `1 event, ${latencyRate} a second`, who, keeps, figures })
  }
}

/** The tags of one edge: a URL for each number of channels. Without a worker nothing is delivered. */
async function withChannels(bare: Target, deps: On): Promise<void> {
  const edge = startMeasured({
    role: 'edge',
    async make(aglet) {
      const { tagUrl } = await makeCustomer(aglet, 'bench')
      const tags: [number, string][] = []
      for (const count of [1, 5, 20]) {
        const customer = await tagWith(aglet, `with ${count}`, count, 'http://127.0.0.1:9')
        tags.push([count, customer.tagUrl])
      }
      return { tagUrl, tags }
    },
  })
  await using([edge], async ([target]) => {
    for (const [count, tagUrl] of target!.made.tags)
      await compare(`1 event, ${counted(count, 'channel')}`, [bare, { ...target!, url: `${tagUrl}/tag` }], single, deps)
  })
}

const walkerOs: Peer = { who: 'walkerOS, no destination', keeps: 'memory', file: 'walkeros.ts', words: ['', 0] }

/** The edge alone, beside all peers. */
async function besideOthers(deps: On): Promise<void> {
  const own = [startBare(), startMeasured({ role: 'edge', ...bareTag })]
  const others = deps.scale.isQuick ? [] : [startNginx(), startPeer(walkerOs)]
  await using<Target>([...own, ...others], async (targets) => {
    const [bare, edge] = targets as [Target, Target]
    await latency([bare, edge], deps)
    await compare('1 event of 1 KB', targets, single, deps)
    // The peer accepts one event at a time.
    const many = targets.filter(({ who }) => who !== walkerOs.who)
    await compare('50 events of 1 KB', many, fifty, deps)
  })
}

/** Runs last, because it would still be planning its events while others are measured. */
async function planned(bare: Target, deps: On): Promise<void> {
  await using([startMeasured({ role: 'all', ...bareTag })], async ([all]) => {
    await compare('1 event of 1 KB, planned meanwhile', [bare, all!], single, deps)
    await compare('50 events of 1 KB, planned meanwhile', [bare, all!], fifty, deps)
  })
}

async function run(scale: Scale, tell: (row: Row) => void): Promise<void> {
  const options = { scale, tell }
  await besideOthers(options)
  if (scale.isQuick) return
  await using([startBare()], async ([bare]) => {
    await withChannels(bare!, options)
    await planned(bare!, options)
  })
}

export const intake: Part = {
  name: 'intake',
  says: 'Requests of POST /tag that are answered, beside a bare node:http server that parses the same body.',
  inQuick: true,
  run,
}
