import { createRequire } from 'node:module'
import { createContext, Script } from 'node:vm'
import type ivm from 'isolated-vm'
import type { TagEvent } from '#contract/event.ts'
import type { AttemptContext } from '#delivery/attemptContext.ts'
import { type RunDeps, runCustomerCode } from '#delivery/runCustomerCode.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import { judge } from '#provider/engine/judgement.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import webhook from '#providers/webhook.ts'
import { engineFile } from '#sandbox/isolationLayers.ts'
import type { Job } from '#sandbox/job.ts'
import { openSandbox, type Sandbox } from '#sandbox/sandbox.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { median, quantile } from '../load.ts'
import type { Part } from '../part.ts'
import type { Sample } from '../sample.ts'

/** The runs of a median, and the number of events that are passed on together. */
const runs = 2_000
const batch = 500
const event = { eventName: 'Purchase', eventId: 'order-1001', data: { value: 84.9, currency: 'EUR' } }
const code =
  'async process({ request }) { const event = await request.json(); return Response.json({ id: event.eventId, value: event.data.value }) }'

const request = {
  url: 'https://d.example/webhook/scr_1',
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(event),
}
const jobOf = (teamId: string): Job => ({
  teamId,
  key: 'scr_1/1',
  code,
  name: 'process',
  resultKind: 'response',
  params: { request, secrets: {} },
  secrets: [],
})

async function timed(times: number, work: () => Promise<unknown>): Promise<Sample> {
  const tookMs: number[] = []
  for (let n = 0; n < times; n++) {
    const begun = performance.now()
    await work()
    tookMs.push(performance.now() - begun)
  }
  return { p50Ms: median(tookMs), p99Ms: quantile(tookMs, 0.99) }
}

/** Events per second, and the CPU time of each in the server's own process, when many are passed on together. */
async function inBatches(work: () => Promise<void>): Promise<Sample> {
  const before = process.cpuUsage()
  const begun = performance.now()
  for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: batch }, work))
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (20 * batch * 1_000) / (performance.now() - begun), cpuUs: (user + system) / (20 * batch) }
}

const bare =
  '(async (text) => { const event = JSON.parse(text); return JSON.stringify({ id: event.eventId, value: event.data.value }) })'

async function bareIsolate() {
  const engine = (createRequire(import.meta.url)(engineFile()!) as { ivm: typeof ivm }).ivm
  const context = await new engine.Isolate({ memoryLimit: 64 }).createContext()
  const run = (await context.eval(bare, { reference: true })) as ivm.Reference
  return timed(runs, () => run.apply(undefined, [request.body], { timeout: 500, result: { promise: true } }))
}

const nodeVm = () => {
  const run = new Script(bare).runInContext(createContext({})) as (text: string) => Promise<string>
  return timed(runs, () => run(request.body))
}

const runIn = (sandbox: Sandbox) => async (teamId: string) => {
  const ran = await sandbox.run(jobOf(teamId))
  if (!('value' in ran)) throw new Error(JSON.stringify(ran))
}

/** The time of a team's first run, in its own child. */
async function cold(run: (teamId: string) => Promise<void>, teams: number): Promise<Sample> {
  const tookMs: number[] = []
  for (let n = 0; n < teams; n++) {
    // meanwhile the pool starts a new warm child, as between two teams in sequence
    await new Promise((resolve) => setTimeout(resolve, 400))
    const begun = performance.now()
    await run(`cold ${n}`)
    tookMs.push(performance.now() - begun)
  }
  return { p50Ms: median(tookMs), p99Ms: quantile(tookMs, 0.99) }
}

const script: SnapshotScript = {
  scriptId: 'scr_2',
  name: 'w',
  providerId: 'webhook',
  purchaseValueMode: 'gross',
  secrets: {},
}
const tag = { tagId: 'tag_1', teamId: 'warm' } as Snapshot
const secrets = { WEBHOOK_CODE: code, WEBHOOK_TOKEN: 'hook-token', WEBHOOK_SECRETS: '{"KEY":"k-1"}' }
const person = { userId: 'usr_1', email: 'jane@example.com' }
const identity = identityOf(person)

/**
 * The whole path of an event through the webhook channel: its request is built and passed on, and its answer is parsed.
 */
function channelIn(sandbox: Sandbox) {
  const deps = { brand: 'Service', tagUrl: (tagId: string) => `https://d.example/t/${tagId}`, runCode: sandbox.run }
  return async () => {
    const outgoing = {
      event: { ...event, timestamp: Date.now() } as TagEvent,
      person,
      identity,
      custom: {},
      captured: {},
      consent: unknownConsent,
    }
    const asked = { ...outgoing, secrets, purchaseValueMode: 'gross', now: Date.now() } as const
    const built = buildRequests('webhook', webhook, asked)
    if (!('requests' in built)) throw new Error('the webhook was not to be told')
    const ready = { delivery: {} as AttemptContext['delivery'], tag, provider: webhook, script, outgoing, secrets }
    const answer = await runCustomerCode(built.requests[0]!, webhook.code!, ready, deps as unknown as RunDeps)
    if (judge(webhook, answer, Date.now()).verdict !== 'delivered') throw new Error(JSON.stringify(answer))
  }
}

export const sandbox: Part = {
  name: 'sandbox',
  says: 'One event through a webhook that builds a Response, beside the same work in a bare isolate and in node:vm, neither of which is a wall.',
  inQuick: true,
  onAllCores: true,
  async run({ isQuick }, tell) {
    const opened = await openSandbox({
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      acceptWeak: true,
    })
    try {
      const run = runIn(opened)
      const deliver = channelIn(opened)
      await timed(500, () => run('warm'))
      tell({ size: 'warm, one after the other', who: 'node:vm (no wall)', figures: await nodeVm() })
      tell({ size: 'warm, one after the other', who: 'isolated-vm (one wall)', figures: await bareIsolate() })
      const warm = await timed(runs, () => run('warm'))
      tell({ size: 'warm, one after the other', who: 'Aglet (all walls)', figures: warm })
      await timed(500, deliver)
      tell({ size: 'the whole channel', who: 'Aglet (all walls)', figures: await timed(runs, deliver) })
      const together = await inBatches(() => run('warm'))
      tell({ size: `${batch} at a time`, who: 'Aglet (all walls)', figures: together })
      const channel = await inBatches(deliver)
      tell({ size: `${batch} at a time, the whole channel`, who: 'Aglet (all walls)', figures: channel })
      tell({ size: 'cold, the first of a team', who: 'Aglet (all walls)', figures: await cold(run, isQuick ? 5 : 20) })
    } finally {
      await opened.close()
    }
  },
}
