import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Secret } from '#kit/secret.ts'
import playground from '#providers/playground.ts'
import { openSandbox } from '#sandbox/sandbox.ts'
import { sealVersion } from '#script/secret.ts'
import type { SecretRef } from '#script/snapshot.ts'
import { until } from '../fake/clock.ts'
import { acceptEvents, type DeliveryHarness, journeyOf, keys, openDeliveryHarness } from '../fake/deliveryHarness.ts'
import { anEvent, aProvider, aScript, aTag } from '../fake/tag.ts'
import { figuresOf, report } from './faultRig.ts'
import { judge } from './oracle.ts'
import { random, seed } from './random.ts'

/** The code's action for events with these names, instead of sending them. */
const traps: Record<string, string> = {
  computes: 'for (;;) {}',
  'waits for what never comes': 'await new Promise(() => {})',
  'eats memory': 'const held = []; for (;;) held.push(new Array(1e5).fill(held.length))',
  'returns too much': 'return "x".repeat(1e6)',
}
const code = `async tag({ event, fetch }) {
  switch (event.data.trap) {
    ${Object.entries(traps)
      .map(([name, does]) => `case '${name}': { ${does} }`)
      .join('\n    ')}
  }
  await fetch('https://crm.example/events', { method: 'POST', body: event.eventId })
}`
const tries = 3
/** Good events for each poison event. */
const company = 6

/** A worker with the customer's code in a real sandbox and a fake clock; and the requests of the code, by event. */
async function openCrm() {
  const times = new Map<string, number>()
  const sandbox = await openSandbox({
    async fetch({ url, body }) {
      times.set(body!, (times.get(body!) ?? 0) + 1)
      return { url, status: 204, headers: {}, body: '' }
    },
    acceptWeak: true,
    // shorter than usual, to finish soon; longer than a good run takes on a busy machine
    limits: { wallMs: 3_000 },
  })
  after(() => sandbox.close())
  const script = aScript('scr_1', {
    providerId: 'playground',
    secrets: { PLAYGROUND_CODE: { secretId: 'sec_1', version: 1 } },
  })
  const harness = await openDeliveryHarness(aTag([script, aScript('scr_2')]))
  const variable = { variable: 'PLAYGROUND_CODE', type: 'TEXT', environment: 'production' } as const
  const secret = async ({ secretId, version }: SecretRef) =>
    sealVersion(
      new Secret(code),
      { ...variable, teamId: 'team_1', scriptId: 'scr_1', secretId, version },
      keys,
      harness.clock.now(),
    )
  const worker = harness.start({
    runCode: (job) => sandbox.run(job),
    store: { ...harness.disk.store, secret },
    providers: { playground, eventSink: aProvider('eventSink') },
  })
  return { harness, times, worker }
}

/** Each trap once, in the middle of its good events. */
function events(now: number) {
  const next = random(seed)
  return Object.keys(traps).flatMap((trap) => {
    const place = Math.floor(next() * (company + 1))
    return Array.from({ length: company + 1 }, (_, at) =>
      at === place
        ? anEvent(now, { eventId: trap, data: { trap } })
        : anEvent(now, { eventId: `beside ${trap} ${at}`, data: {} }),
    )
  })
}

const countOf = (ids: readonly string[]) => {
  const times = new Map<string, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}

async function standingsOf(deps: DeliveryHarness, ids: readonly string[], place: number) {
  const journeys = await Promise.all(ids.map((id) => journeyOf(deps, id)))
  return new Map(ids.map((id, at) => [id, journeys[at]?.deliveries[place]]))
}

test(`events for which a customer's code never ends are dead (poison) after three tries; all others go on (SEED=${seed})`, async (t) => {
  const { harness, times } = await openCrm()
  const sent = events(harness.clock.now())
  const ids = sent.map(({ eventId }) => eventId)
  for (const event of sent) await acceptEvents(harness, event)
  await until(
    'everything has ended',
    async () => {
      await harness.clock.turn(500)
      return (
        (await harness.disk.store.journal.pendingCount()) === 0 && times.size === ids.length - Object.keys(traps).length
      )
    },
    60_000,
  )
  const standings = await standingsOf(harness, ids, 0)
  for (const trap of Object.keys(traps)) {
    const { status, reason, attempts = [] } = standings.get(trap)!
    assert.deepEqual([trap, status, reason, attempts.length], [trap, 'dead', 'poison', tries])
    for (const { message = '' } of attempts)
      assert.match(message, /^The (code|process|result or the output) .*(more|ended|too large)/)
  }
  const sink = {
    times: countOf(harness.sent.map(({ json }) => json.eventId)),
    standings: await standingsOf(harness, ids, 1),
  }
  const verdict = judge(new Set(ids), ids, [
    { name: 'code', times, wrong: [], standings },
    { name: 'beside it', ...sink, wrong: [] },
  ])
  report(t, 'poison: code that never ends', { times: Object.keys(traps).length, ...figuresOf(verdict) })
  const attemptsOf = (id: string) => [standings, sink.standings].map((each) => each.get(id)?.attempts)
  const repeated = ids.filter((id) => times.get(id)! > 1 || sink.times.get(id)! > 1)
  assert.deepEqual(
    [verdict.lost, verdict.phantom, verdict.repeated],
    [[], [], 0],
    JSON.stringify(repeated.map(attemptsOf)),
  )
  assert.equal(verdict.failed, Object.keys(traps).length)
  assert.equal(sink.times.size, ids.length, 'a channel beside it gets the poison too: to it, it is none')
})
