import { type DashboardLanguage, dashboardLanguages, languageCookie } from '#contract/dashboardLanguage.ts'
import { basePath, environments } from '#dashboard/addresses.ts'

const names = Object.keys(dashboardLanguages) as DashboardLanguage[]

/** The language that the person chose in this browser; undefined if the browser's languages decide. */
export function chosenLanguage(): DashboardLanguage | undefined {
  const pairs = document.cookie.split(';').map((pair) => pair.trim())
  return names.find((name) => pairs.includes(`${languageCookie}=${name}`))
}

const yearS = 31_536_000

/** Stores the choice for the pages below a path; deletes the cookie without a choice. */
function putCookie(path: string, language: DashboardLanguage | undefined): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const life = language ? yearS : 0
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not there on plain http
  document.cookie = `${languageCookie}=${language ?? ''}; Path=${path}; Max-Age=${life}; SameSite=Lax${secure}`
}

/** Stores the choice for both environments, and reloads the page in that language. */
export function chooseLanguage(next: DashboardLanguage | undefined): void {
  for (const environment of environments) putCookie(basePath(environment), next)
  location.reload()
}
