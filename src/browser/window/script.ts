import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import { openGatedSession } from '../consentGate.ts'
import { openSdk } from '../sdk.ts'
import { openPageSession } from '../session.ts'
import { buildInfo } from './buildInfo.ts'
import { installGlobal, isLoaded } from './globalFunction.ts'
import { windowPage } from './windowPage.ts'

/** The tag's setting, set by the edge; empty in a build without a tag. */
declare const AGLET_CAPTURE: CaptureBeforeConsent | ''

const script = document.currentScript as HTMLScriptElement | null

if (!isLoaded()) {
  const page = windowPage(script)
  const tagUrl = script?.src.replace(/\/load(\?.*)?$/s, '')
  const defaults = { ...buildInfo, tagUrl }
  // A preview has its own build, so that this one stays small. If it does not load, nothing is sent.
  if (/aglet_preview/.test(page.session.get('aglet_preview') + location.search))
    void page.load(`${tagUrl}/load?module=preview`)
  // The bundler removes the gate from the build for tags with `all`.
  else if (AGLET_CAPTURE === 'all') installGlobal(openSdk(page, openPageSession, defaults))
  else installGlobal(openSdk(page, openGatedSession, { ...defaults, captureBeforeConsent: AGLET_CAPTURE }))
}
