import type { ConsentMap } from './event.ts'
import type { ConsentCategory, ValueMode } from './script.ts'

/** What the SDK does before a consent: `all`: stores and sends; `memory`: holds calls in the page; `none`: drops them. */
export type CaptureBeforeConsent = 'all' | 'memory' | 'none'

/** The two maps of a consent, as an event has them in `storage.<brand>`. An absent map does not restrict. */
export type ConsentMaps = { consent?: ConsentMap; consentCategories?: ConsentMap }

/** A value that a page captures for a channel. The key of a cookie may contain one `*`: `_ga_*`. */
export type BrowserCaptureRule = {
  type: 'query' | 'storage'
  key: string
  persist: 'local' | 'session' | 'edge'
  location?: 'cookie' | 'local' | 'session'
}

/**
 * A deployed channel as a page gets it. `package` is the provider id, `category` the consent category that it requires.
 * `inPage`: the provider has a module of the SDK. `refused`: the channel must not run in the page, because the browser
 * sends Sec-GPC and the tag respects it.
 */
export type BrowserChannel = {
  package: string
  category: ConsentCategory
  variables: Record<string, string>
  rules: { capture: BrowserCaptureRule[] }
  purchaseValueMode: ValueMode
  inPage?: true
  refused?: true
}

/** The response of `GET {tag_url}/init`. `consent` is the stored consent of the user, null without one. */
export type InitResponse = {
  result: BrowserChannel[]
  userId: string
  isNewUser: boolean
  session: { sessionId: string; isNewSession: boolean }
  consent: ConsentMaps | null
}

/** The response of `GET {tag_url}/load?settings=true`. */
export type TagSettingsResponse = { captureBeforeConsent: CaptureBeforeConsent }

/** The response of `POST /user`, `/data` and `/consent`. `ignored`: no user was named, so nothing was stored. */
export type StoredResponse = { result: { status: 'accepted' | 'duplicate' | 'ignored'; userId?: string } }

/** The response of `GET /data`: for a standard key whether it is known, for a custom key its value. */
export type UserDataResponse = { result: Record<string, unknown> }

/** The response of `GET /keys`: the names of all known keys. */
export type UserKeysResponse = { result: string[] }
