import type { AdapterHost } from './adapter.ts'

type Named = Record<string, unknown>
/** The globals of a page, including those of any banner. */
// biome-ignore lint/suspicious/noExplicitAny: the globals of banners have no types
type BannerSite = Record<string, any>

/**
 * The answer of a banner. `choices`: the visitor's choices under the banner's own names; absent before the visitor has
 * answered, null if the strings alone are not an answer. `texts`: the consent strings of the banner.
 */
export type BannerAnswer = {
  choices?: Named | null | undefined
  texts?: Named | undefined
  version?: unknown
}

const categories: [name: string, names: RegExp][] = [
  ['advertising', /marketing|adverti|target|(^|_)ads?(_|$)|c0004/i],
  ['analytics', /statist|analy|perform|measur|research|c0002/i],
  ['functional', /function|prefer|personali|c0003/i],
  ['share_pii', /share_pii/],
]

/** If two names have the same category, a refusal prevails. */
function categoriesOf(answers: readonly BannerAnswer[], own: Record<string, string> = {}): Record<string, boolean> {
  const found: Record<string, boolean> = { advertising: false, analytics: false, functional: false }
  const seen = new Set<string>()
  for (const { choices } of answers)
    for (const [name, value] of Object.entries(choices ?? {})) {
      const category = own[name] ?? categories.find(([, names]) => names.test(name))?.[0]
      if (!category) continue
      found[category] = value === true && (found[category] === true || !seen.has(category))
      seen.add(category)
    }
  return found
}

/** Sends the strictest combination of all banners' answers to the SDK. */
function reportConsent({ sdk, site, options }: AdapterHost, banners: Record<string, BannerAnswer>): void {
  const all = Object.values(banners)
  const texts: Named = { banner: Object.keys(banners).join() }
  for (const { texts: own, version } of all) Object.assign(texts, version && { version: `${version}` }, own)
  const answers = all.filter(({ choices }) => choices !== null)
  if (answers.some(({ choices }) => !choices)) sdk('consent', 'default')
  else if (answers[0]) sdk('consent', undefined, categoriesOf(answers, options.categories), texts)
  else
    (site as BannerSite)
      .aglet?.('getConsent')
      .then((maps: Named | undefined) => maps && sdk('consent', maps.consent, maps.consentCategories, texts))
}

/**
 * Follows a banner: waits up to ten seconds for it, then reads it and again at each of its events. Without a banner
 * nothing is assumed.
 */
export function followBanner(
  host: AdapterHost,
  name: string,
  events: readonly string[],
  read: (site: BannerSite, check: () => void) => BannerAnswer | undefined,
): void {
  const site = host.site as BannerSite
  site.agletBanners ??= {}
  const banners: Record<string, BannerAnswer> = site.agletBanners
  let last = ''
  const check = (): boolean | undefined =>
    host.safely(() => {
      const answer = read(site, check)
      if (!answer) return false
      const text = JSON.stringify(answer)
      if (text !== last) {
        last = text
        banners[name] = answer
        reportConsent(host, banners)
      }
      return true
    })
  for (const event of events)
    site.addEventListener(
      event,
      () => {
        check()
        site.setTimeout(check) // some banners store the answer after their event
      },
      true,
    )
  let tries = 40
  const wait = () => {
    if (!check() && tries-- > 0) site.setTimeout(wait, 250)
  }
  wait()
}
