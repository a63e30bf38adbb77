import type { TagEvent } from '#contract/event.ts'
import type { Issue } from '#contract/schema.ts'
import type { History, TagPlugin } from '#contract/tag.ts'
import type { Plugin, PluginContext, PluginResult } from './plugin.ts'

/** The plugins of a build, by name. */
export type PluginCatalogue = Readonly<Partial<Record<string, Plugin>>>

const findPlugin = (plugins: PluginCatalogue, name: string) =>
  Object.hasOwn(plugins, name) ? plugins[name] : undefined

/**
 * Runs a tag's plugins on an event, in the order of the tag's list. Events that a plugin adds pass through the later
 * plugins. A plugin that is missing in this build is skipped.
 */
export function runPlugins(
  event: TagEvent,
  chosen: readonly TagPlugin[],
  plugins: PluginCatalogue,
  deps: PluginContext,
): PluginResult {
  let result: Exclude<PluginResult, { filtered: true }> = { event }
  const more: TagEvent[] = []
  let history: History | undefined
  for (const [at, { plugin: name, settings = {} }] of chosen.entries()) {
    const plugin = findPlugin(plugins, name)
    if (!plugin) continue
    const next = plugin.run(result.event, settings, deps)
    if ('filtered' in next) return next
    result = next
    if (next.history) history = { ...history, ...next.history }
    for (const each of next.more ?? []) more.push(...allEvents(runPlugins(each, chosen.slice(at + 1), plugins, deps)))
  }
  return { event: result.event, ...(more.length > 0 && { more }), ...(history && { history }) }
}

const allEvents = (result: PluginResult): TagEvent[] =>
  'filtered' in result ? [] : [result.event, ...(result.more ?? [])]

/** The issues of a tag's plugins: an unknown name, a name that is listed twice, an invalid setting. */
export function pluginIssues(chosen: readonly TagPlugin[], plugins: PluginCatalogue): Issue[] {
  const names = chosen.map((each) => each.plugin)
  return chosen.flatMap(({ plugin: name, settings = {} }, at) => {
    const path = `plugins.${at}`
    const plugin = findPlugin(plugins, name)
    if (!plugin)
      return [
        { path: `${path}.plugin`, message: `is not in the manifest: use one of ${Object.keys(plugins).join(', ')}` },
      ]
    if (names.indexOf(name) < at) return [{ path: `${path}.plugin`, message: 'is listed twice' }]
    return plugin.check(settings).map((issue) => ({
      path: [`${path}.settings`, issue.path].filter(Boolean).join('.'),
      message: issue.message,
    }))
  })
}
