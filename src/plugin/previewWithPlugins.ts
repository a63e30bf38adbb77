import type { TagEvent } from '#contract/event.ts'
import { type Preview, PreviewLine } from '#contract/preview.ts'
import { compileValidator } from '#contract/schema.ts'
import { preview } from '#provider/engine/preview.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { Rates } from './exchangeRates.ts'
import { type PluginCatalogue, pluginIssues, runPlugins } from './runPlugins.ts'

type BuildCatalogue = {
  providers: Readonly<Partial<Record<string, Provider>>>
  plugins: PluginCatalogue
  rates?: Rates | undefined
}

const checkLine = compileValidator(PreviewLine)

/**
 * The requests that a provider would get for the event of a line after the line's plugins ran on it, and for the events
 * that they added. Never throws. `clockNow` (epoch ms) is used if the line has no time.
 */
export function previewWithPlugins(line: unknown, build: BuildCatalogue, clockNow: number): Preview {
  const { providers } = build
  if (checkLine(line).length > 0) return preview(line, providers, clockNow)
  try {
    return runPreview(line as PreviewLine, build, clockNow)
  } catch {
    return { requests: [], error: 'PREVIEW_FAILED', message: 'A plugin failed on this event.' }
  }
}

function runPreview(line: PreviewLine, { providers, plugins, rates }: BuildCatalogue, clockNow: number): Preview {
  const { plugins: chosen = [], history = {}, now = clockNow, user } = line
  const [issue] = pluginIssues(chosen, plugins)
  if (issue) return { requests: [], error: 'BAD_LINE', message: `${issue.path}: ${issue.message}.` }
  const event = { eventId: 'preview', timestamp: now, ...line.event } as TagEvent
  const userAgent = user?.userAgent === undefined ? event.userAgent : String(user.userAgent)
  const context = { history, now, ...(rates && { rates }), ...(userAgent && { userAgent }) }
  const result = runPlugins(event, chosen, plugins, context)
  if ('filtered' in result) return { requests: [], skipped: 'filtered' }
  const previews = [result.event, ...(result.more ?? [])].map((event) =>
    preview({ ...line, event }, providers, clockNow),
  )
  const requests = previews.flatMap((one) => one.requests)
  return requests.length > 0 && !previews[0]!.error ? { requests } : previews[0]!
}
