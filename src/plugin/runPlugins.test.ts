import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '#contract/schema.ts'
import { anEvent } from '../../test/fake/tag.ts'
import { deriveEvent, type Plugin, type PluginResult, plugin } from './plugin.ts'
import { type PluginCatalogue, pluginIssues, runPlugins } from './runPlugins.ts'

const now = Date.UTC(2026, 10, 20)
const form = (run: (event: ReturnType<typeof anEvent>, settings: Record<string, unknown>) => PluginResult): Plugin =>
  plugin({
    label: 'x',
    description: 'x',
    stage: 'live',
    settings: Type.Object({ by: Type.Optional(Type.Number()) }),
    run,
    examples: [],
  })

const plugins: PluginCatalogue = {
  mark: form((event, { by }) => ({ event: { ...event, pageTitle: `${event.pageTitle ?? ''}${by ?? 0}` } })),
  double: form((event) => ({ event, more: [deriveEvent(event, 'Copy')], history: { firstPurchase: event.eventId } })),
  drop: form(() => ({ filtered: true })),
}
const run = (...names: string[]) =>
  runPlugins(
    anEvent(now),
    names.map((each, by) => ({ plugin: each, settings: { by } })),
    plugins,
    { history: {}, now },
  )

test('plugins run in the order of the list, each on the result of the previous one', () => {
  assert.deepEqual(run('mark', 'mark', 'mark'), { event: anEvent(now, { pageTitle: '012' }) })
})

test('an added event passes the plugins after the one that added it, and none before it', () => {
  const result = run('mark', 'double', 'mark')
  assert.deepEqual(result, {
    event: anEvent(now, { pageTitle: '02' }),
    more: [anEvent(now, { eventName: 'Copy', eventId: 'event-1~Copy', pageTitle: '02' })],
    history: { firstPurchase: 'event-1' },
  })
})

test('plugins can add events to an added event', () => {
  const result = run('double', 'double')
  assert.deepEqual('more' in result && result.more?.map(({ eventId }) => eventId), [
    'event-1~Copy',
    'event-1~Copy~Copy',
    'event-1~Copy',
  ])
})

test('a filtered event is filtered whatever other plugins do, and changes no history', () => {
  assert.deepEqual(run('double', 'drop', 'mark'), { filtered: true })
})

test('a plugin that this build does not have is skipped, also one with the name of a JavaScript built-in', () => {
  assert.deepEqual(run('gone', 'constructor', '__proto__'), { event: anEvent(now) })
})

test('an unknown plugin, a repeated one and an invalid setting are issues with their path', () => {
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
