import type { ConsentMaps, DataRead, Init, KeysRead } from '#contract/edge.ts'
import type { ConsentMap, ProviderSelection } from '#contract/event.ts'
import type { Module } from './modules.ts'
import type { Answer, Body, Path } from './outbox.ts'
import type { Page } from './page.ts'
import { type Options, openSession, type Session } from './session.ts'

/** What a page says to its tag. Each resolves when the edge has answered; none throws at once. */
export type Sdk = {
  /** Begins. What is called before waits for it; a second call changes nothing. */
  init(options?: Partial<Options>): Promise<Init>
  /** An event. `more` holds other fields of the event: `{ eventId, userEmail }`. */
  tag(eventName: string, data?: object, providers?: ProviderSelection, more?: Body): Promise<Answer>
  /** What the visitor agreed to: providers, and categories. */
  consent(consent: ConsentMap | undefined, consentCategories?: ConsentMap): Promise<Answer>
  /** Undefined while nobody has asked. */
  getConsent(): Promise<ConsentMaps | undefined>
  /** A standard key (`email`, `phone` …) or one of your own. */
  user(key: string, value: unknown): Promise<Answer>
  /** Keys of your own, many at once. */
  data(data: object): Promise<Answer>
  /** Of standard keys whether they are known, of your own their values. */
  getData(keys: readonly string[]): Promise<DataRead['result']>
  /** The names of all that is known. */
  keys(): Promise<KeysRead['result']>
  getUserId(): Promise<string>
  isNewUser(): Promise<boolean>
  ready(): Promise<Init>
  /** Fields that stand in every event from now on, in place of what the page says: `{ pageUrl, pageTitle }`. */
  setConfig(fields: Body): Promise<void>
  /** The part of a channel that runs in the page; modules call it themselves. */
  module(provider: string, module: Module): Promise<void>
}

export function openSdk(page: Page, defaults: Omit<Options, 'tagUrl'> & { tagUrl?: string }): Sdk {
  const entered = page.look().search
  let open = (_: Session) => {}
  const opened = new Promise<Session>((resolve) => {
    open = resolve
  })
  let fields: Body = {}
  let isOpen = false
  const ready = async () => (await opened).ready
  /** The session, once the tag has said who the visitor is. */
  const known = async () => {
    await ready()
    return opened
  }
  /** Time and page are those of the call, whenever `init` comes. By its id vendors' pixels in the page know it too. */
  const say = async (path: Path, body: Body) => {
    const said = { eventId: page.randomId(), timestamp: page.now(), ...page.look(), ...fields, ...body }
    return (await opened).say(path, said)
  }

  return {
    async init(options) {
      const chosen = { ...defaults, ...options }
      if (!chosen.tagUrl) throw new Error('init needs a tagUrl')
      if (!isOpen) open(openSession(page, { ...chosen, tagUrl: chosen.tagUrl.replace(/\/$/, '') }, entered))
      isOpen = true
      return ready()
    },
    tag: (eventName, data = {}, providers, more) =>
      say('/tag', { eventName, data, ...(providers && { providers }), ...more }),
    consent: async (consent, consentCategories) =>
      (await opened).agree({ ...(consent && { consent }), ...(consentCategories && { consentCategories }) }),
    getConsent: async () => (await known()).consent(),
    user: (key, value) => say('/user', { key, value }),
    data: (data) => say('/data', { data }),
    getData: async (keys) => (await known()).read('/data', `&keys=${keys.map(encodeURIComponent)}`),
    keys: async () => (await known()).read('/keys'),
    getUserId: async () => (await ready()).userId,
    isNewUser: async () => (await ready()).isNewUser,
    ready,
    async setConfig(more) {
      fields = { ...fields, ...more }
    },
    module: async (provider, module) => (await opened).addModule(provider, module),
  }
}
