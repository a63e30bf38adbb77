import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  openAglet,
  settledJourney,
  sinkAt,
  startAglet,
  stopAglet,
  until,
} from '../fake/aglet.ts'
import { skipWithoutPostgres, startPostgres } from '../fake/postgresServer.ts'
import { openVendor } from '../fake/vendor.ts'
import { hasPython, runPython, skipMissing } from './client.ts'

const receiver = await openVendor()
after(receiver.close)
const aglet = await openAglet('clients-metrics', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const readPage = async () => (await fetch(`${aglet.origin}/metrics`)).text()

/** The metrics of a server that has refused a request and delivered an event. */
const customer = await makeCustomer(aglet, 'metrics')
await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })
await makeScript(customer, 'eventSink', 'sink', sinkAt(`${receiver.url}/in`))
const send = ({ tagUrl }: Customer, event: object) =>
  fetch(`${tagUrl}/tag`, { method: 'POST', body: JSON.stringify(event) })
const visit = { eventName: 'PageView', eventId: 'evt-1', timestamp: Date.now() }
assert.equal((await send(customer, {})).status, 400)
assert.equal((await send(customer, visit)).status, 200)
await settledJourney(customer, 'evt-1')
await until(async () => /^aglet_event_loop_delay_seconds_count/m.test(await readPage()))
const page = await readPage()

test('promtool finds nothing wrong with the names and types of the metrics', (t) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page })
  if (error) return skipMissing(t, 'promtool')
  assert.equal(status, 0, `${stdout}${stderr}`)
})

const program = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps(sorted([family.name, family.type] for family in text_string_to_metric_families(json.loads(sys.argv[1])))))
`

test('the parser of the Prometheus client for Python reads every family of the page', async (t) => {
  if (!hasPython()) return skipMissing(t, 'prometheus-client')
  const families = new Map(JSON.parse(await runPython(program, page)) as [string, string][])
  assert.equal(families.get('aglet_deliveries_pending'), 'gauge')
  assert.equal(families.get('aglet_deliveries'), 'counter')
  assert.equal(families.get('aglet_delivery_duration_seconds'), 'histogram')
})

test('the histograms of intake, commit, answer and delivery have counted the event once', () => {
  const environment = 'environment="production"'
  const ofSink = `${environment},provider="eventSink"`
  for (const [name, labels] of [
    ['aglet_intake_duration_seconds', environment],
    ['aglet_commit_duration_seconds', environment],
    ['aglet_vendor_response_duration_seconds', ofSink],
    ['aglet_delivery_duration_seconds', ofSink],
  ] as const) {
    const lines = page.split('\n')
    assert.ok(lines.includes(`${name}_count{${labels}} 1`), name)
    assert.ok(lines.includes(`${name}_bucket{${labels},le="+Inf"} 1`), name)
  }
})

const skipShared = await skipWithoutPostgres()

/** The metrics of a process with a shared database that is also an event shard and has stored an event. */
async function readSharedPage(): Promise<string> {
  const server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
  const data = mkdtempSync(join(tmpdir(), 'aglet-metrics-'))
  const urls = { AGLET_DATABASE_URL: server.url, AGLET_STREAM_URL: server.url }
  const environment = { ...urls, AGLET_SYNC_STANDBYS: '0', AGLET_ROOT_KEY: 'ab'.repeat(32) }
  const shared = await startAglet({ data, port: await freePort(), environment })
  try {
    assert.equal((await send(await makeCustomer(shared, 'shared'), visit)).status, 200)
    return await (await fetch(`${shared.origin}/metrics`)).text()
  } finally {
    await stopAglet(shared)
    await server.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

test('docs/operating.md lists every metric, on files and on a shared database, and no other', {
  skip: skipShared,
}, async () => {
  const cells = readFileSync('docs/operating.md', 'utf8').matchAll(/^\| (`(?:aglet|process)_[^|]*) \|/gm)
  const documented = [...cells].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)/g)].map(([, name]) => name!))
  const shown = [page, await readSharedPage()].flatMap((each) => [...each.matchAll(/^# TYPE (\w+)/gm)])
  assert.deepEqual(documented.sort(), [...new Set(shown.map(([, name]) => name!))].sort())
})
