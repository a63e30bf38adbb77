import { test } from 'node:test'
import { type OperationId, operationIds } from '#contract/operations.ts'
import { call, sealFor, sinkAt } from '../fake/aglet.ts'
import { enlarge, fillings } from './largestBody.ts'
import { heldMs } from './measure.ts'
import { caller, openTeam, rows } from './operationCaller.ts'
import { openWatchedServer } from './watchedServer.ts'

/** No request may block the event loop for longer; a factor allows for a busy machine or slow cores. */
const maxHeldMs = 50 * Number(process.env.HOSTILE_SLOWER ?? 1)
const mostBytes = 2 * 1024 * 1024 - 2_000

const watched = await openWatchedServer('hostile-thread', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const { aglet, probe } = watched

/** 10,000 characters, as many as regions may have. */
const longestRegions = `DE,${'US-CA,'.repeat(1_660)}US`

/** A team whose tag has 199 channels with the longest regions, with events, drafts and many deployments. */
async function openLargeTeam() {
  const team = await openTeam(aglet, 'large')
  const { customer } = team
  const { tagId } = customer
  const secrets = await sealFor(customer, 'eventSink', sinkAt('http://127.0.0.1:9/in'))
  for (let part = 0; part < 2; part++) {
    const names = Array.from({ length: part === 0 ? 100 : 99 }, (_, n) => `channel ${part} ${n}`)
    const scripts = names.map((name) => ({ name, providerId: 'eventSink', geoRegions: longestRegions, secrets }))
    const { status, body } = await call(customer, 'POST', '/config', { tagId, scripts })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  for (let n = 0; n < 60; n++) await call(customer, 'PUT', `/tag/${tagId}`, { gpc: n % 2 === 0 })
  return team
}

const large = await openLargeTeam()

type Finding = { id: OperationId; request: string; status: number; heldMs: number }
const findings: Finding[] = []

async function measure(id: OperationId, request: string, ask: () => Promise<{ status: number }>): Promise<void> {
  let status = 0
  const { medianMs } = await heldMs(probe, maxHeldMs, async () => {
    ;({ status } = await ask())
  })
  findings.push({ id, request, status, heldMs: medianMs })
}

/** The largest page of a list. */
function longestPage(id: OperationId): string {
  const { limit } = (rows[id]!.query?.properties ?? {}) as { limit?: { maximum?: number } }
  return limit?.maximum === undefined ? '' : `limit=${limit.maximum}`
}

for (const id of operationIds.filter((each) => !rows[each]!.isStream))
  test(`${id} holds the event loop for at most 50 ms, with the largest body and the largest tag`, async (t) => {
    const { ask, example, named } = caller(id, large)
    const query = [rows[id]!.query?.properties.tagId ? named : '', longestPage(id)].filter(Boolean).join('&')
    const page = query ? { query } : {}
    const before = findings.length
    await measure(id, 'its example', () => ask(page))
    const { body } = rows[id]!
    // a schema without open places has only one largest body, whatever the filling
    const bodies = new Map<string, string>()
    for (const filling of body ? fillings : [])
      bodies.set(JSON.stringify(enlarge(body!, example, filling, mostBytes)), filling.name)
    for (const [sent, filling] of bodies)
      await measure(id, `${filling}, ${sent.length} bytes`, () => ask({ ...page, body: sent }))
    const slow = findings.slice(before).filter(({ heldMs }) => heldMs > maxHeldMs)
    for (const { request, status, heldMs } of findings.slice(before))
      t.diagnostic(`${id}: ${request}: ${status}, ${heldMs.toFixed(1)} ms`)
    if (slow.length > 0)
      throw new Error(slow.map(({ request, heldMs }) => `${request}: ${heldMs.toFixed(0)} ms`).join(', '))
  })
