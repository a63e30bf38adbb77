import { isDeepStrictEqual } from 'node:util'
import type { TagEvent } from '#contract/event.ts'
import { type ApplyRules, type Preview, PreviewLine } from '#contract/preview.ts'
import { compileValidator } from '#contract/validator.ts'
import { preview } from '#provider/engine/preview.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { Rates } from './exchangeRates.ts'
import { type PluginCatalogue, pluginIssues, runPlugins } from './runPlugins.ts'

type BuildCatalogue = {
  providers: Readonly<Partial<Record<string, Provider>>>
  plugins: PluginCatalogue
  rates?: Rates | undefined
  /** Default: the rules of a line are ignored. */
  applyRules?: ApplyRules
}

const checkLine = compileValidator(PreviewLine)

/**
 * The requests to a provider for a line's event after its plugins ran, and for the events that the plugins added. Never
 * throws. `clockNow` (epoch ms) is used if the line has no time.
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

/** The preview of one event after the rules of its line. */
function previewRuled(line: PreviewLine, event: TagEvent, build: BuildCatalogue, clockNow: number): Preview {
  const { rules, user = {} } = line
  if (!rules || !build.applyRules) return preview({ ...line, event }, build.providers, clockNow)
  const ruled = build.applyRules(rules, event, user)
  if ('issue' in ruled)
    return { requests: [], error: 'BAD_LINE', message: `rules.${ruled.issue.path}: ${ruled.issue.message}.` }
  if ('filtered' in ruled) return { requests: [], skipped: 'filtered', filtered: ruled.filtered }
  if ('refusedBy' in ruled)
    return {
      requests: [],
      error: 'PAYLOAD_REFUSED',
      message: `Map rule ${ruled.refusedBy} makes the event exceed a limit.`,
    }
  const previewed = preview({ ...line, ...ruled }, build.providers, clockNow)
  return isDeepStrictEqual(ruled.event, event) ? previewed : { ...previewed, afterRules: ruled.event }
}

function runPreview(line: PreviewLine, build: BuildCatalogue, clockNow: number): Preview {
  const { plugins, rates } = build
  const { plugins: chosen = [], history = {}, now = clockNow, user } = line
  const [issue] = pluginIssues(chosen, plugins)
  if (issue) return { requests: [], error: 'BAD_LINE', message: `${issue.path}: ${issue.message}.` }
  const event = { eventId: 'preview', timestamp: now, ...line.event } as TagEvent
  const userAgent = user?.userAgent === undefined ? event.userAgent : String(user.userAgent)
  const context = { history, now, ...(rates && { rates }), ...(userAgent && { userAgent }) }
  const result = runPlugins(event, chosen, plugins, context)
  if ('filtered' in result) return { requests: [], skipped: 'filtered' }
  const previews = [result.event, ...(result.more ?? [])].map((event) => previewRuled(line, event, build, clockNow))
  const requests = previews.flatMap((one) => one.requests)
  const [first] = previews as [Preview]
  const { afterRules } = first
  return requests.length > 0 && !first.error ? { requests, ...(afterRules && { afterRules }) } : first
}
