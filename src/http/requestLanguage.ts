import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'
import { type DashboardLanguage, dashboardLanguages, languageCookie } from '#contract/dashboardLanguage.ts'

const languages = Object.keys(dashboardLanguages) as DashboardLanguage[]

/** The language that the person chose, else the first of the browser's languages that there is, else the first of all. */
export function requestLanguage(
  headers: IncomingHttpHeaders,
  offered: readonly DashboardLanguage[] = languages,
): DashboardLanguage {
  const cookies = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const chosen = cookies.find((pair) => pair.startsWith(`${languageCookie}=`))?.slice(languageCookie.length + 1)
  const [preferred] = new Negotiator({ headers }).languages([...offered])
  return offered.find((each) => each === chosen) ?? offered.find((each) => each === preferred) ?? offered[0]!
}
