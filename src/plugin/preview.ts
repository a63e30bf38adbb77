import type { TagEvent } from '#contract/event.ts'
import { type Preview, PreviewLine } from '#contract/preview.ts'
import { check } from '#contract/schema.ts'
import { preview } from '#provider/engine/preview.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { Rates } from './rates.ts'
import { type Plugins, pluginIssues, runPlugins } from './run.ts'

type Build = { providers: Readonly<Partial<Record<string, Provider>>>; plugins: Plugins; rates?: Rates | undefined }

const issuesOf = check(PreviewLine)

/**
 * What a provider would be sent for the event of a line after the plugins that the line names have run over it, and for
 * the events that these add. Never throws; `clockNow` (epoch ms) is the time where the line names none.
 */
export function previewWithPlugins(line: unknown, build: Build, clockNow: number): Preview {
  const { providers } = build
  if (issuesOf(line).length > 0) return preview(line, providers, clockNow)
  try {
    return shown(line as PreviewLine, build, clockNow)
  } catch {
    return { requests: [], error: 'PREVIEW_FAILED', message: 'A plugin could not work on this event.' }
  }
}

function shown(line: PreviewLine, { providers, plugins, rates }: Build, clockNow: number): Preview {
  const { plugins: chosen = [], history = {}, now = clockNow, user } = line
  const [issue] = pluginIssues(chosen, plugins)
  if (issue) return { requests: [], error: 'BAD_LINE', message: `${issue.path}: ${issue.message}.` }
  const event = { eventId: 'preview', timestamp: now, ...line.event } as TagEvent
  const userAgent = user?.userAgent === undefined ? event.userAgent : String(user.userAgent)
  const on = { history, now, ...(rates && { rates }), ...(userAgent && { userAgent }) }
  const ran = runPlugins(event, chosen, plugins, on)
  if ('filtered' in ran) return { requests: [], skipped: 'filtered' }
  const each = [ran.event, ...(ran.more ?? [])].map((made) => preview({ ...line, event: made }, providers, clockNow))
  const requests = each.flatMap((one) => one.requests)
  return requests.length > 0 && !each[0]!.error ? { requests } : each[0]!
}
