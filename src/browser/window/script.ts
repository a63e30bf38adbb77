import { openSdk } from '../sdk.ts'
import { callBy, isThere } from './call.ts'
import { built } from './defaults.ts'
import { thisPage } from './page.ts'

const script = document.currentScript as HTMLScriptElement | null

if (!isThere()) {
  const tagUrl = script?.src.replace(/\/load(?:\?.*)?$/s, '')
  callBy(openSdk(thisPage(script), { ...built, ...(tagUrl && { tagUrl }) }))
}
