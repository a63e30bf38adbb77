import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { freePort } from '../fake/aglet.ts'
import { deliverReadmeEvent, environment, root, run, start, stop, welcomeOf } from './firstEvent.ts'

/**
 * Tests deploy/monitoring with promtool, and against a running server. `npm run test:operating` installs promtool.
 */
const folder = mkdtempSync(join(tmpdir(), 'aglet-monitoring-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const monitoring = join(root, 'deploy/monitoring')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string } }
const rulesOf = (path: string) =>
  (parse(read(path)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
const rules = rulesOf('deploy/monitoring/alerts.yaml')
const clusterRules = rulesOf('deploy/monitoring/alerts.cluster.yaml')
type Panel = { title: string; targets?: { expr: string }[] }
const { panels } = JSON.parse(read('deploy/monitoring/dashboard.json')) as { panels: Panel[] }
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

/** The server's metrics and log after the README's event and a refused call. */
let metrics: string
let log: Record<string, unknown>[]
before(async () => {
  const words = ['sh', 'scripts/aglet.sh', 'serve', '--port', `${await freePort()}`, '--data', join(folder, 'data')]
  const started = start(words, { cwd: root, env: environment })
  const welcome = await welcomeOf(started)
  await deliverReadmeEvent(welcome)
  await fetch(`${welcome.origin}/t/${welcome.tagId}/tag`, { method: 'POST', body: 'no JSON' })
  metrics = await (await fetch(`${welcome.origin}/metrics`)).text()
  await stop(started)
  const lines = started.error().split('\n')
  log = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
})

test('the alert rules are valid, each has a case in which it fires, and none fires in normal operation', async () => {
  await run('promtool', ['check', 'rules', join(monitoring, 'alerts.yaml')])
  await run('promtool', ['check', 'config', join(monitoring, 'prometheus.yaml')])
  await run('promtool', ['test', 'rules', join(monitoring, 'alerts.test.yaml')])
  const tested = read('deploy/monitoring/alerts.test.yaml')
  for (const { alert } of rules) assert.match(tested, new RegExp(`alertname: ${alert}\\n +exp_alerts`), alert)
})

test('the alert rules of a shared database are valid, each fires in its case, and they ask for documented metrics', async () => {
  await run('promtool', ['check', 'rules', join(monitoring, 'alerts.cluster.yaml')])
  await run('promtool', ['test', 'rules', join(monitoring, 'alerts.cluster.test.yaml')])
  const tested = read('deploy/monitoring/alerts.cluster.test.yaml')
  const page = read('docs/operating.md')
  for (const { alert, expr } of clusterRules) {
    assert.match(tested, new RegExp(`alertname: ${alert}\\n +exp_alerts`), alert)
    for (const [name] of expr.matchAll(/\baglet_\w+/g)) assert.ok(page.includes(`\`${name}`), `${alert}: ${name}`)
  }
})

test('each query of the dashboard is valid PromQL', async () => {
  assert.ok(queries.length > 15)
  const record = queries.map(({ expr }, at) => ({
    record: `panel_${at}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
  }))
  const file = join(folder, 'dashboard.rules.json')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: record }] }))
  await run('promtool', ['check', 'rules', file])
})

test('the metrics page is valid, and has every metric of the alerts and the dashboard', async () => {
  writeFileSync(join(folder, 'metrics'), metrics)
  await run('sh', ['-c', `promtool check metrics < ${join(folder, 'metrics')}`])
  const shown = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  for (const { expr, alert: from } of [...rules, ...queries.map(({ expr, title }) => ({ expr, alert: title }))])
    for (const [name] of expr.matchAll(/\b(aglet|process)_\w+/g))
      assert.ok(shown.has(name.replace(/_bucket$/, '')), `${from} asks for ${name}`)
})

test('docs/logs.md lists every field of the lines of an attempt and a change', () => {
  const page = read('docs/logs.md')
  for (const message of ['attempt', 'changed']) {
    const line = log.find((each) => each.message === message)
    assert.ok(line, `a line ${message}`)
    for (const field of Object.keys(line)) assert.ok(page.includes(`\`${field}\``), `${message} has ${field}`)
  }
})

test('each alert links to a heading of docs/incidents.md', () => {
  const headings = [...read('docs/incidents.md').matchAll(/^## (.*)$/gm)].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  )
  for (const { alert, annotations } of [...rules, ...clusterRules]) {
    const [, anchor] = /incidents\.md#(\S+)$/.exec(annotations.description) ?? []
    assert.ok(anchor && headings.includes(anchor), `${alert} leads to ${anchor}`)
  }
})
