import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import { openGatedSession } from '../consentGate.ts'
import { previewPage } from '../previewPage.ts'
import { openSdk } from '../sdk.ts'
import { buildInfo } from './buildInfo.ts'
import { installGlobal, isLoaded } from './globalFunction.ts'
import { showBadge } from './previewBadge.ts'
import { windowPage } from './windowPage.ts'

/** As in script.ts. */
declare const AGLET_CAPTURE: CaptureBeforeConsent

/** As in contract/previewLink.ts, whose schemas would be part of this build. */
const parameter = 'aglet_preview'
const parameterInQuery = /([?&])(aglet_preview=([^&]*))&?/

/** Stores the parameter of the address for this tab, and removes it from the address. Returns its value, the code. */
function takeCode(session: ReturnType<typeof windowPage>['session']): string {
  const given = parameterInQuery.exec(location.search)?.[2]
  if (given !== undefined) {
    session.set(parameter, given)
    const search = location.search.replace(parameterInQuery, '$1').replace(/[?&]$/, '')
    history.replaceState(history.state, '', location.pathname + search + location.hash)
  }
  return session.get(parameter)?.slice(parameter.length + 1) ?? ''
}

const script = document.currentScript as HTMLScriptElement | null

if (!isLoaded()) {
  const ownPage = windowPage(script)
  const tagUrl = script?.src.replace(/\/load(?:\?.*)?$/s, '') ?? ''
  const code = takeCode(ownPage.session)
  const headers = { 'Aglet-Preview': code }
  const request = async (url: string, body?: string) => {
    const post = body && { method: 'POST', body, keepalive: true }
    const response = await fetch(url, { credentials: 'include', headers, ...post })
    return { status: response.status, json: await response.json().catch(() => undefined) }
  }
  const page = previewPage(ownPage, request)
  const sdk = openSdk(page, openGatedSession, { ...buildInfo, tagUrl, captureBeforeConsent: AGLET_CAPTURE })
  // no vendor's pixel runs, because it would send
  installGlobal({ ...sdk, module: async () => {} })
  const stop = () => ownPage.session.remove(parameter)
  const state = request(`${tagUrl}/preview`).then(({ json }) => (json as { result?: object } | undefined)?.result)
  if (self === top) void state.then((result) => showBadge(result, stop)).catch(() => showBadge(undefined, stop))
}
