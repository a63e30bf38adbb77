import { openSdk } from '../sdk.ts'
import { buildInfo } from './buildInfo.ts'
import { installGlobal, isLoaded } from './globalFunction.ts'
import { windowPage } from './windowPage.ts'

const script = document.currentScript as HTMLScriptElement | null

if (!isLoaded()) {
  const tagUrl = script?.src.replace(/\/load(?:\?.*)?$/s, '')
  installGlobal(openSdk(windowPage(script), { ...buildInfo, ...(tagUrl && { tagUrl }) }))
}
