import type { BrowserChannel } from '#contract/edgeResponses.ts'
import { applyCaptureRule, type CapturedByProvider } from './applyCaptureRule.ts'
import type { BrowserPage } from './browserPage.ts'
import { readJson, writeJson } from './jsonStorage.ts'

/** The captured values for events, and by `provider::name` those that the edge has not stored yet. */
type CaptureResult = { found: CapturedByProvider; unsent: Record<string, string> }

/**
 * The values captured on this page and earlier ones. `entered` is the query of the landing URL, which a router may
 * remove from the address.
 */
export function openCaptureStore(
  { pageInfo, cookies, local, session }: Pick<BrowserPage, 'cookies' | 'pageInfo' | 'local' | 'session'>,
  prefix: string,
  entered: string,
) {
  const name = `${prefix}captured`

  /** Captures again. Stored values of channels that are not in `rows` are deleted. */
  return (rows: readonly BrowserChannel[]): CaptureResult => {
    const from = { search: `${pageInfo().search}&${entered.slice(1)}`, cookies: cookies(), local, session }
    const stored = {
      local: readJson<CapturedByProvider>(local, name),
      session: readJson<CapturedByProvider>(session, name),
    }
    const now: Record<'local' | 'session', CapturedByProvider> = { local: {}, session: {} }
    const result: CaptureResult = { found: {}, unsent: {} }
    for (const { package: provider, rules } of rows) {
      const captured = { local: { ...stored.local?.[provider] }, session: { ...stored.session?.[provider] } }
      for (const rule of rules.capture) {
        const values = captured[rule.persist === 'session' ? 'session' : 'local']
        for (const [key, value] of applyCaptureRule(rule, from)) {
          if (rule.persist === 'edge' && values[key] !== value) result.unsent[`${provider}::${key}`] = value
          values[key] = value
        }
      }
      const all = { ...captured.local, ...captured.session }
      if (Object.keys(all)[0]) result.found[provider] = all
      now.local[provider] = captured.local
      now.session[provider] = captured.session
    }
    writeJson(local, name, now.local)
    writeJson(session, name, now.session)
    return result
  }
}
