import type { ConsentMaps, InitResponse, UserDataResponse, UserKeysResponse } from '#contract/edgeResponses.ts'
import type { ConsentMap, ProviderSelection } from '#contract/event.ts'
import type { BrowserPage } from './browserPage.ts'
import type { BrowserModule } from './modules.ts'
import type { CallBody, EdgePath, UploadResult } from './queue.ts'
import type { PageSession, SdkOptions } from './session.ts'

/** `entered` is the query of the landing URL. */
type OpenSession = (page: BrowserPage, options: SdkOptions, entered: string) => PageSession | Promise<PageSession>

/** The API of the SDK. Each function resolves when the edge has answered; none throws synchronously. */
export type Sdk = {
  /**
   * Opens the session. Earlier calls wait for it; a second call has no effect. Resolves with the answer of `/init`, or at
   * once with undefined if the tag is only called after consent.
   */
  init(options?: Partial<SdkOptions>): Promise<InitResponse | undefined>
  /** Sends an event. `more` has further fields of the event: `{ eventId, userEmail }`. */
  tag(eventName: string, data?: object, providers?: ProviderSelection, more?: CallBody): Promise<UploadResult>
  /**
   * Sets the consent of the visitor: providers and categories. `'default'` instead of a map: the visitor has not answered
   * the banner yet. That changes no earlier answer. `consentTexts`: the consent strings of the banner.
   */
  consent(
    consent: ConsentMap | 'default' | undefined,
    consentCategories?: ConsentMap,
    consentTexts?: object,
  ): Promise<UploadResult>
  /** The consent of the visitor; undefined before one is given. */
  getConsent(): Promise<ConsentMaps | undefined>
  /** Stores a standard key (`email`, `phone` …) or a custom one. */
  user(key: string, value: unknown): Promise<UploadResult>
  /** Stores several custom keys. */
  data(data: object): Promise<UploadResult>
  /** Reads keys: for standard keys whether they are known, for custom keys their values. */
  getData(keys: readonly string[]): Promise<UserDataResponse['result']>
  /** The names of all stored keys. */
  keys(): Promise<UserKeysResponse['result']>
  getUserId(): Promise<string>
  isNewUser(): Promise<boolean>
  ready(): Promise<InitResponse>
  /** Sets fields of all later events, which override those of the page: `{ pageUrl, pageTitle }`. */
  setConfig(fields: CallBody): Promise<void>
  /** Adds the browser module of a provider; called by the modules themselves. */
  module(provider: string, module: BrowserModule): Promise<void>
}

export function openSdk(
  page: BrowserPage,
  openSession: OpenSession,
  defaults: Omit<SdkOptions, 'tagUrl'> & { tagUrl?: string | undefined },
): Sdk {
  const entered = page.pageInfo().search
  let open: ((session: PageSession | Promise<PageSession>) => void) | undefined
  const opened = new Promise<PageSession>((resolve) => {
    open = resolve
  })
  const fields: CallBody = {}
  const ready = async () => (await opened).ready
  /** The session after the tag has identified the visitor, or at once while waiting for consent. */
  const started = async () => {
    await (await opened).init
    return opened
  }
  /** Time and page are those of the call, even before `init`. Vendors' pixels in the page get the same event id. */
  const send = async (path: EdgePath, body: CallBody) => {
    const call = { eventId: page.randomId(), timestamp: page.now(), ...page.pageInfo(), ...fields, ...body }
    return (await opened).send(path, call)
  }

  return {
    async init(options) {
      const merged = { ...defaults, ...options }
      if (!merged.tagUrl) throw Error('no tagUrl')
      merged.tagUrl = merged.tagUrl.replace(/\/$/, '')
      open?.(openSession(page, merged as SdkOptions, entered))
      open = undefined
      return (await opened).init
    },
    tag: (eventName, data = {}, providers, more) => send('/tag', { eventName, data, providers, ...more }),
    // JSON omits a map that is undefined.
    consent: async (consent, consentCategories, consentTexts) =>
      (await opened).setConsent(
        consent === 'default' ? null : ({ consent, consentCategories, consentTexts } as ConsentMaps),
      ),
    getConsent: async () => (await started()).consent(),
    user: (key, value) => send('/user', { key, value }),
    data: (data) => send('/data', { data }),
    getData: async (keys) => (await started()).read('/data', `&keys=${keys.map(encodeURIComponent)}`),
    keys: async () => (await started()).read('/keys'),
    getUserId: async () => (await ready()).userId,
    isNewUser: async () => (await ready()).isNewUser,
    ready,
    setConfig: async (more) => void Object.assign(fields, more),
    module: async (provider, module) => (await opened).addModule(provider, module),
  }
}
