import type { CaptureBeforeConsent, ConsentMaps } from '#contract/edgeResponses.ts'
import type { BrowserPage } from './browserPage.ts'
import { hasGrant } from './consent.ts'
import { readJson, writeJson } from './jsonStorage.ts'
import { type CallBody, type EdgePath, maxCalls, type UploadResult } from './queue.ts'
import { openPageSession, type PageSession, type SdkOptions } from './session.ts'

/** Opens the session, behind a gate if the tag stores and sends nothing before consent. */
export function openGatedSession(
  page: BrowserPage,
  options: SdkOptions,
  entered: string,
): PageSession | Promise<PageSession> {
  const open = (mode: CaptureBeforeConsent) =>
    (mode === 'all' ? openPageSession : openConsentGate(mode))(page, options, entered)
  const mode = options.disableConsentCheck ? 'all' : options.captureBeforeConsent
  return mode ? open(mode) : askMode(page, options).then(open)
}

/** The tag's setting, for an SDK that was not loaded with it. Without an answer, the strict setting applies. */
const askMode = async (page: BrowserPage, { tagUrl }: SdkOptions): Promise<CaptureBeforeConsent> => {
  const reply = await page.request(`${tagUrl}/load?settings=true`).catch(() => undefined)
  return (reply?.json as { captureBeforeConsent?: CaptureBeforeConsent } | undefined)?.captureBeforeConsent ?? 'memory'
}

const dropped: UploadResult = { status: 'dropped' }

/**
 * Before a consent that grants something, the page holds its calls in memory (`memory`) or drops them (`none`): it reads,
 * stores and sends nothing about the visitor. The visitor's answer is stored, yes or no, for the next page. After a
 * refusal calls are dropped. A refusal is only sent for a visitor whom the tag knows by an earlier consent.
 */
const openConsentGate =
  (mode: 'memory' | 'none') =>
  (page: BrowserPage, options: SdkOptions, entered: string): PageSession => {
    const { local } = page
    const prefix = `aglet:${options.tagUrl}:` // as in session.ts; `call:` as in transport.ts, `captured` as in captureStore.ts
    const answerName = `${prefix}answer`
    let answer = readJson<ConsentMaps>(local, answerName)
    let session: PageSession | undefined
    let resolveSession = (_: PageSession) => {}
    const opened = new Promise<PageSession>((resolve) => {
      resolveSession = resolve
    })
    const ready = opened.then((session) => session.ready)
    const held: (() => void)[] = []

    const isGranted = () => answer && hasGrant(answer)
    const note = (maps: ConsentMaps | undefined) => {
      answer = maps ?? answer
      writeJson(local, answerName, answer)
    }
    const open = () => {
      session ??= openPageSession(page, options, entered)
      resolveSession(session)
    }
    const send = async (path: EdgePath, body: CallBody): Promise<UploadResult> => {
      if (session && isGranted()) return session.send(path, body)
      if (answer || mode === 'none' || held.length >= maxCalls) return dropped
      return new Promise((resolve) => held.push(() => resolve(send(path, body))))
    }

    // The visitor may have answered otherwise on another site of the tag. The session itself warns of an error.
    ready.then(() => note(session!.consent())).catch(() => {})
    // Also opens for waiting calls of an earlier page, such as a withdrawal.
    if (isGranted() || local.names().some((name) => name.startsWith(`${prefix}call:`))) open()
    return {
      ready,
      get init() {
        return session?.ready ?? Promise.resolve(undefined)
      },
      consent: () => (session ? session.consent() : answer),
      send,
      async setConsent(maps) {
        if (!maps) return dropped // the session needs an answer
        note(maps)
        if (isGranted()) open()
        else for (const storage of [local, page.session]) storage.remove(`${prefix}captured`)
        const result = session?.setConsent(maps)
        for (const release of held.splice(0)) release()
        return result ?? { status: 'ignored' }
      },
      read: async (path, query) => {
        await ready
        return session!.read(path, query)
      },
      addModule: (...module) => void opened.then(({ addModule }) => addModule(...module)),
    }
  }
