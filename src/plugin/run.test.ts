import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '#contract/schema.ts'
import { anEvent } from '../../test/fake/tag.ts'
import { another, type Plugin, plugin, type Ran } from './plugin.ts'
import { type Plugins, pluginIssues, runPlugins } from './run.ts'

const now = Date.UTC(2026, 10, 20)
const form = (run: (event: ReturnType<typeof anEvent>, settings: Record<string, unknown>) => Ran): Plugin =>
  plugin({
    label: 'x',
    does: 'x',
    stage: 'live',
    settings: Type.Object({ by: Type.Optional(Type.Number()) }),
    run,
    examples: [],
  })

const plugins: Plugins = {
  mark: form((event, { by }) => ({ event: { ...event, pageTitle: `${event.pageTitle ?? ''}${by ?? 0}` } })),
  double: form((event) => ({ event, more: [another(event, 'Copy')], history: { firstPurchase: event.eventId } })),
  drop: form(() => ({ filtered: true })),
}
const run = (...names: string[]) =>
  runPlugins(
    anEvent(now),
    names.map((each, by) => ({ plugin: each, settings: { by } })),
    plugins,
    { history: {}, now },
  )

test('plugins run in the order of the list, each over what the one before it made', () => {
  assert.deepEqual(run('mark', 'mark', 'mark'), { event: anEvent(now, { pageTitle: '012' }) })
})

test('what a plugin adds passes the plugins behind it, and none before it', () => {
  const ran = run('mark', 'double', 'mark')
  assert.deepEqual(ran, {
    event: anEvent(now, { pageTitle: '02' }),
    more: [anEvent(now, { eventName: 'Copy', eventId: 'event-1~Copy', pageTitle: '02' })],
    history: { firstPurchase: 'event-1' },
  })
})

test('each event that is added can add others', () => {
  const ran = run('double', 'double')
  assert.deepEqual('more' in ran && ran.more?.map(({ eventId }) => eventId), [
    'event-1~Copy',
    'event-1~Copy~Copy',
    'event-1~Copy',
  ])
})

test('a filtered event is filtered whatever stands around it, and nothing is remembered of it', () => {
  assert.deepEqual(run('double', 'drop', 'mark'), { filtered: true })
})

test('a plugin that this build does not have is passed over, also one named like a word of the language', () => {
  assert.deepEqual(run('gone', 'constructor', '__proto__'), { event: anEvent(now) })
})

test('an unknown plugin, one named twice and a wrong setting are issues that say where', () => {
  const chosen = [
    { plugin: 'mark', settings: { by: 'x' } },
    { plugin: 'nobody' },
    { plugin: 'mark' },
    { plugin: 'constructor' },
    { plugin: 'drop', settings: {} },
  ]
  assert.deepEqual(
    pluginIssues(chosen, plugins).map(({ path }) => path),
    ['plugins.0.settings.by', 'plugins.1.plugin', 'plugins.2.plugin', 'plugins.3.plugin'],
  )
  assert.match(pluginIssues(chosen, plugins)[1]!.message, /mark, double, drop/)
})
