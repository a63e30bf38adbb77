import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { openAglet } from '../fake/aglet.ts'
import { hasPython, runPython, skipMissing } from './client.ts'

const aglet = await openAglet('clients-metrics')
const page = await (await fetch(`${aglet.origin}/metrics`)).text()

test('promtool finds nothing wrong with the names and types of the metrics', (t) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: page })
  if (error) return skipMissing(t, 'promtool')
  assert.equal(status, 0, `${stdout}${stderr}`)
})

const program = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
print(json.dumps(sorted(family.name for family in text_string_to_metric_families(json.loads(sys.argv[1])))))
`

test('the parser of the Prometheus client for Python reads every family of the page', async (t) => {
  if (!hasPython()) return skipMissing(t, 'prometheus-client')
  const families = JSON.parse(await runPython(program, page)) as string[]
  for (const name of ['aglet_deliveries_pending', 'process_resident_memory_bytes']) assert.ok(families.includes(name))
})
