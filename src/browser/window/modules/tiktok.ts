import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import { toTiktokCall } from '#browser/pixelCalls.ts'
import type { TagEvent } from '#contract/event.ts'
import type { BrowserModule } from '../../modules.ts'
import { isCalledByPage } from '../pixelModule.ts'

/** A TikTok pixel; before its script is loaded, an array of the waiting calls. */
type TiktokPixel = unknown[] & { _u?: string }
type TiktokLibrary = unknown[] & {
  _i?: Record<string, TiktokPixel>
  _t?: Record<string, number>
  _o?: Record<string, object>
  instance?(code: string): { [call: string]: (...args: unknown[]) => void }
}
type TiktokSite = { ttq?: TiktokLibrary; TiktokAnalyticsObject?: string }

const scriptUrl = 'https://analytics.tiktok.com/i18n/pixel/events.js'

/**
 * Registers the pixel as TikTok's base code does. Returns a function that calls it before and after its script loads.
 */
function registerPixel(site: TiktokSite, code: string) {
  site.TiktokAnalyticsObject = 'ttq'
  const library = site.ttq ?? []
  site.ttq = library
  const waiting: TiktokPixel = Object.assign([], { _u: scriptUrl })
  library._i = { ...library._i, [code]: waiting }
  library._t = { ...library._t, [code]: Date.now() }
  library._o = { ...library._o, [code]: {} }
  return (call: string, ...args: unknown[]) => {
    const pixel = site.ttq?.instance?.(code)
    if (pixel) pixel[call]?.(...args)
    else waiting.push([call, ...args])
  }
}

/** TikTok's pixel in addition to the server's channel, if TIKTOK_BROWSER_PIXEL is 1. Events have the server's id. */
const tiktok: BrowserModule = {
  start({ variables, purchaseValueMode, load, consent }) {
    const { TIKTOK_PIXEL_CODE: code, TIKTOK_BROWSER_PIXEL } = variables
    if (TIKTOK_BROWSER_PIXEL !== '1' || !code) return undefined
    let pixel: ReturnType<typeof registerPixel> | undefined
    const open = () => {
      const opened = registerPixel(window as TiktokSite, code)
      load(`${scriptUrl}?sdkid=${encodeURIComponent(code)}&lib=ttq`).catch(() => undefined) // a blocker may prevent it
      return opened
    }
    return (body) => {
      if (isCalledByPage(body, 'ttq') || !maySharePersonalData(consent())) return
      const event = body as unknown as TagEvent
      const call = toTiktokCall(event, purchaseValueMode)
      pixel ??= open()
      if (call) pixel('track', ...call, { event_id: event.eventId })
    }
  },
}

export default tiktok
