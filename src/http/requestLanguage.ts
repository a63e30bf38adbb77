import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { type DashboardLanguage, dashboardLanguages, languageCookie } from '#contract/dashboardLanguage.ts'

const languages = Object.keys(dashboardLanguages) as DashboardLanguage[]

/** The language that the person chose, else the first available one of the browser, else the default. */
export function requestLanguage(
  headers: IncomingHttpHeaders,
  offered: readonly DashboardLanguage[] = languages,
): DashboardLanguage {
  const cookies = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const chosen = cookies.find((pair) => pair.startsWith(`${languageCookie}=`))?.slice(languageCookie.length + 1)
  const [preferred] = new Negotiator({ headers }).languages([...offered])
  return offered.find((each) => each === chosen) ?? offered.find((each) => each === preferred) ?? offered[0]!
}
