import type { ConsentMaps } from '#contract/edge.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { cookiesIn } from './capture.ts'
import { allOfIt, mayRun } from './consent.ts'
import { recall, remember } from './kept.ts'
import type { Page } from './page.ts'

/** Who the visitor is and what they agreed to, as this site remembers it. */
export type Visitor = ReturnType<typeof openVisitor>

type Told = { userId?: string | undefined; disableConsentCheck?: boolean | undefined }

/**
 * The tag's cookie knows best, where the page can read it, then what the site kept, then what the page says. Who is
 * new gets an id here, so that even the last events of a page that closes at once are of the same user as the next.
 */
export function openVisitor(page: Pick<Page, 'cookies' | 'local' | 'randomId'>, prefix: string, told: Told) {
  const userName = `${prefix}user`
  const consentName = `${prefix}consent`
  const cookie = cookiesIn(page.cookies()).find(([name]) => name === 'tag_user_id')?.[1]
  let userId = ''
  let known: ConsentMaps | undefined
  const name = (id: string) => {
    userId = id
    page.local.put(userName, id)
  }
  name(cookie || page.local.get(userName) || told.userId || `usr_${page.randomId()}`)

  /** Undefined while nobody has asked. Looked up each time: another tab may have asked since. */
  const agreed = () => (told.disableConsentCheck ? allOfIt : (recall<ConsentMaps>(page.local, consentName) ?? known))

  return {
    name,
    userId: () => userId,
    consent: agreed,
    mayRun: (provider: string, category: ConsentCategory) => mayRun(agreed(), provider, category),
    agree: (maps: ConsentMaps) => remember(page.local, consentName, maps),
    /** What the edge knows takes the place of what the site kept; it is not kept, because the edge may change its mind. */
    learn(maps: ConsentMaps) {
      page.local.drop(consentName)
      known = maps
    },
  }
}
