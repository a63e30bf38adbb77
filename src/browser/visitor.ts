import type { ConsentMaps } from '#contract/edgeResponses.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { parseCookies } from './applyCaptureRule.ts'
import type { BrowserPage } from './browserPage.ts'
import { fullConsent, mayRunInPage } from './consent.ts'
import { readJson, writeJson } from './jsonStorage.ts'

/** The id and the consent of the visitor, as stored by this site. */
export type Visitor = ReturnType<typeof openVisitor>

type VisitorOptions = { userId?: string | undefined; disableConsentCheck?: boolean | undefined }

/**
 * The user id comes from the tag's cookie, else from the site's storage, else from the options. A new visitor gets an
 * id here, so that events of a page that is closed at once belong to the same user as later ones.
 */
export function openVisitor(
  page: Pick<BrowserPage, 'cookies' | 'local' | 'randomId'>,
  prefix: string,
  options: VisitorOptions,
) {
  const userName = `${prefix}user`
  const consentName = `${prefix}consent`
  const cookie = parseCookies(page.cookies()).find(([name]) => name === 'tag_user_id')?.[1]
  let userId = ''
  let serverConsent: ConsentMaps | undefined
  const name = (id: string) => {
    userId = id
    page.local.set(userName, id)
  }
  name(cookie || page.local.get(userName) || options.userId || `usr_${page.randomId()}`)

  /** The consent; undefined before one is given. Read each time, because another tab may have changed it. */
  const consent = () =>
    options.disableConsentCheck ? fullConsent : (readJson<ConsentMaps>(page.local, consentName) ?? serverConsent)

  return {
    name,
    userId: () => userId,
    consent,
    mayRun: (provider: string, category: ConsentCategory) => mayRunInPage(consent(), provider, category),
    saveConsent: (maps: ConsentMaps) => writeJson(page.local, consentName, maps),
    /** The edge's consent replaces the stored one. It is not stored, because it may change on the edge. */
    takeServerConsent(maps: ConsentMaps) {
      page.local.remove(consentName)
      serverConsent = maps
    },
  }
}
