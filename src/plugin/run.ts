import type { TagEvent } from '#contract/event.ts'
import type { Issue } from '#contract/schema.ts'
import type { History, TagPlugin } from '#contract/tag.ts'
import type { Plugin, PluginWorld, Ran } from './plugin.ts'

/** The plugins that a build has, by name. */
export type Plugins = Readonly<Partial<Record<string, Plugin>>>

const named = (plugins: Plugins, name: string) => (Object.hasOwn(plugins, name) ? plugins[name] : undefined)

/**
 * Runs a tag's plugins over an event, in the order of the tag's list, and over the events that one of them adds those
 * that stand behind it. One that this build does not have is passed over.
 */
export function runPlugins(event: TagEvent, chosen: readonly TagPlugin[], plugins: Plugins, on: PluginWorld): Ran {
  let ran: Exclude<Ran, { filtered: true }> = { event }
  const more: TagEvent[] = []
  let history: History | undefined
  for (const [at, { plugin: name, settings = {} }] of chosen.entries()) {
    const plugin = named(plugins, name)
    if (!plugin) continue
    const next = plugin.run(ran.event, settings, on)
    if ('filtered' in next) return next
    ran = next
    if (next.history) history = { ...history, ...next.history }
    for (const each of next.more ?? []) more.push(...allOf(runPlugins(each, chosen.slice(at + 1), plugins, on)))
  }
  return { event: ran.event, ...(more.length > 0 && { more }), ...(history && { history }) }
}

const allOf = (ran: Ran): TagEvent[] => ('filtered' in ran ? [] : [ran.event, ...(ran.more ?? [])])

/** What is wrong with the plugins of a tag: a name that this build does not have or that stands there twice, a wrong setting. */
export function pluginIssues(chosen: readonly TagPlugin[], plugins: Plugins): Issue[] {
  const names = chosen.map((each) => each.plugin)
  return chosen.flatMap(({ plugin: name, settings = {} }, at) => {
    const path = `plugins.${at}`
    const plugin = named(plugins, name)
    if (!plugin)
      return [{ path: `${path}.plugin`, message: `is not one of the manifest: ${Object.keys(plugins).join(', ')}` }]
    if (names.indexOf(name) < at) return [{ path: `${path}.plugin`, message: 'stands there twice' }]
    return plugin.check(settings).map((issue) => ({
      path: [`${path}.settings`, issue.path].filter(Boolean).join('.'),
      message: issue.message,
    }))
  })
}
