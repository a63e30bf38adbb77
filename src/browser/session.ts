import type { BrowserChannel, CaptureBeforeConsent, ConsentMaps, InitResponse } from '#contract/edgeResponses.ts'
import type { BrowserPage } from './browserPage.ts'
import { fetchInit } from './fetchInit.ts'
import { type BrowserModule, openBrowserModules } from './modules.ts'
import type { CallBody, EdgePath, UploadResult } from './queue.ts'
import { openTransport } from './transport.ts'
import { openVisitor } from './visitor.ts'

export type SdkOptions = {
  /** `https://d.example.com` or `https://aglet.example/t/tag_…` */
  tagUrl: string
  /** The id of a visitor without a stored id. */
  userId?: string | undefined
  /** The page has no consent banner: everything is allowed. */
  disableConsentCheck?: boolean | undefined
  /** The tag's setting; requested from the tag if unknown. */
  captureBeforeConsent?: CaptureBeforeConsent | '' | undefined
  /** The key of the consent in `storage`. */
  brand: string
  /** The version of this SDK. */
  version: string
}

/** The session of a page. */
export type PageSession = {
  ready: Promise<InitResponse>
  /** Same as `ready`, but undefined at once while the session waits for consent. */
  readonly init: Promise<InitResponse | undefined>
  /** The consent of the visitor; undefined before one is given. */
  consent(): ConsentMaps | undefined
  /** Sends a call with the current consent. */
  send(path: EdgePath, body: CallBody): Promise<UploadResult>
  /** Null: the visitor has not answered yet; later calls say so if they have no consent. */
  setConsent(maps: ConsentMaps | null): Promise<UploadResult>
  read<Result>(path: string, query?: string): Promise<Result>
  addModule(provider: string, module: BrowserModule): void
}

/** The session of a page with its tag. `entered` is the query of the landing URL. */
export function openPageSession(page: BrowserPage, options: SdkOptions, entered: string): PageSession {
  const { tagUrl, brand, version } = options
  const prefix = `aglet:${tagUrl}:`
  const visitor = openVisitor(page, prefix, options)
  const transport = openTransport(page, { tagUrl, visitor, prefix, entered })
  let rows: readonly BrowserChannel[] = []
  let unanswered: { consentState: string } | undefined
  const modules = openBrowserModules({
    ...visitor,
    user: (key, value) => void transport.send('/user', { key, value }),
    storage: page.local,
    load: page.load,
    fetch: (provider) => page.load(`${tagUrl}/load?version=${version}&module=${provider}`),
  })
  const startModules = () => modules.start(rows)
  const ready = fetchInit(page, transport.urlOf('/init'))
  ready.then(
    (init) => {
      visitor.name(init.userId)
      // Another site of the same tag may have set a newer consent, unless a consent of this page is still queued.
      if (init.consent && !transport.isWaiting('/consent')) visitor.takeServerConsent(init.consent)
      rows = init.result.filter((row) => !row.refused)
      transport.open(rows)
      startModules()
    },
    ({ message }) => page.warn(message),
  )

  return {
    ready,
    init: ready,
    consent: visitor.consent,
    send(path: EdgePath, body: CallBody) {
      const call = { ...body, storage: { [brand]: visitor.consent() ?? unanswered, ...(body.storage as object) } }
      const answer = transport.send(path, call)
      if (path === '/tag') modules.notify(call)
      return answer
    },
    async setConsent(maps: ConsentMaps | null): Promise<UploadResult> {
      unanswered = { consentState: 'unanswered' }
      if (!maps) return { status: 'ignored' }
      visitor.saveConsent(maps)
      const answer = transport.send('/consent', { consentString: maps.consent, ...maps })
      startModules()
      return answer
    },
    async read<Result>(path: string, query?: string): Promise<Result> {
      const { status, json } = await page.request(transport.urlOf(path, query))
      if (status !== 200) throw Error(`the tag answered ${status} to ${path}`)
      return (json as { result: Result }).result
    },
    addModule(provider: string, module: BrowserModule) {
      modules.add(provider, module)
      startModules()
    },
  }
}
