import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import { openGatedSession } from '../consentGate.ts'
import { openSdk } from '../sdk.ts'
import { openPageSession } from '../session.ts'
import { buildInfo } from './buildInfo.ts'
import { installGlobal, isLoaded } from './globalFunction.ts'
import { windowPage } from './windowPage.ts'

/** The tag's setting, which the edge sets; empty in a build that does not know its tag. */
declare const AGLET_CAPTURE: CaptureBeforeConsent | ''

const script = document.currentScript as HTMLScriptElement | null

if (!isLoaded()) {
  const tagUrl = script?.src.replace(/\/load(?:\?.*)?$/s, '')
  const defaults = { ...buildInfo, ...(tagUrl && { tagUrl }) }
  // The bundler removes the gate from the build for tags with `all`.
  if (AGLET_CAPTURE === 'all') installGlobal(openSdk(windowPage(script), openPageSession, defaults))
  else {
    const settings = { ...defaults, captureBeforeConsent: AGLET_CAPTURE }
    installGlobal(openSdk(windowPage(script), openGatedSession, settings))
  }
}
