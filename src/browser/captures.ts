import type { ChannelRow } from '#contract/edge.ts'
import { type Captured, capture } from './capture.ts'
import { recall, remember } from './kept.ts'
import type { Page } from './page.ts'

/** What an event takes along, and, by `provider::name`, what the edge is to keep and was not told yet. */
export type Seen = { found: Captured; news: Record<string, string> }

/**
 * What was captured, in this page and those before. `entered` is the query that the page was entered with: a router
 * may take it out of the address.
 */
export function openCaptures(
  { look, cookies, local, session }: Pick<Page, 'cookies' | 'look' | 'local' | 'session'>,
  prefix: string,
  entered: string,
) {
  const name = `${prefix}captured`

  /** Looks again. What was kept for channels other than these is forgotten. */
  return (rows: readonly ChannelRow[]): Seen => {
    const from = { search: `${look().search}&${entered.slice(1)}`, cookies: cookies(), local, session }
    const before = { local: recall<Captured>(local, name), session: recall<Captured>(session, name) }
    const now: Record<'local' | 'session', Captured> = { local: {}, session: {} }
    const seen: Seen = { found: {}, news: {} }
    for (const { package: provider, rules } of rows) {
      const kept = { local: { ...before.local?.[provider] }, session: { ...before.session?.[provider] } }
      for (const rule of rules.capture) {
        const values = kept[rule.persist === 'session' ? 'session' : 'local']
        for (const [key, value] of capture(rule, from)) {
          if (rule.persist === 'edge' && values[key] !== value) seen.news[`${provider}::${key}`] = value
          values[key] = value
        }
      }
      const all = { ...kept.local, ...kept.session }
      if (Object.keys(all).length > 0) seen.found[provider] = all
      now.local[provider] = kept.local
      now.session[provider] = kept.session
    }
    remember(local, name, now.local)
    remember(session, name, now.session)
    return seen
  }
}
