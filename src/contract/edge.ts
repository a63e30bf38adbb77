import type { ConsentMap } from './event.ts'
import type { ConsentCategory, ValueMode } from './script.ts'

/** The two maps of a consent, as they stand in an event below `storage.<brand>`. One that was never given does not restrict. */
export type ConsentMaps = { consent?: ConsentMap; consentCategories?: ConsentMap }

/** What a page captures for a channel. A key of a cookie may hold one `*`: `_ga_*`. */
export type CaptureRule = {
  type: 'query' | 'storage'
  key: string
  persist: 'local' | 'session' | 'edge'
  location?: 'cookie' | 'local' | 'session'
}

/**
 * A deployed channel as a page is told of it. `package` is its provider's id, `category` what the visitor has to agree to.
 * `inPage`: it has a module of the SDK. `refused`: nothing of it may run in the page, because the browser asks for that (Sec-GPC) and the tag heeds it.
 */
export type ChannelRow = {
  package: string
  category: ConsentCategory
  variables: Record<string, string>
  rules: { capture: CaptureRule[] }
  purchaseValueMode: ValueMode
  inPage?: true
  refused?: true
}

/** What `GET {tag_url}/init` answers. `consent` is what the user has agreed to, null where nobody was asked yet. */
export type Init = {
  result: ChannelRow[]
  userId: string
  isNewUser: boolean
  session: { sessionId: string; isNewSession: boolean }
  consent: ConsentMaps | null
}

/** What `POST /user`, `/data` and `/consent` answer: `ignored` where nobody was named, and so nothing was stored. */
export type Stored = { result: { status: 'accepted' | 'duplicate' | 'ignored'; userId?: string } }

/** What `GET /data` answers: of a standard key whether it is known, of a custom key its value. */
export type DataRead = { result: Record<string, unknown> }

/** What `GET /keys` answers: the names of all that is known. */
export type KeysRead = { result: string[] }
