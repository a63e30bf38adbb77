import { toTiktokCall } from '#browser/pixelCalls.ts'
import { exceptCallsOf, loadPixel, pixelModule } from '../pixelModule.ts'

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
export default exceptCallsOf(
  'ttq',
  pixelModule(
    ({ TIKTOK_BROWSER_PIXEL, TIKTOK_PIXEL_CODE }) => (TIKTOK_BROWSER_PIXEL === '1' ? TIKTOK_PIXEL_CODE : undefined),
    (context, code) => {
      const pixel = registerPixel(window as TiktokSite, code)
      loadPixel(context, `${scriptUrl}?sdkid=${encodeURIComponent(code)}&lib=ttq`)
      return (event) => {
        const call = toTiktokCall(event, context.purchaseValueMode)
        if (call) pixel('track', ...call, { event_id: event.eventId })
      }
    },
  ),
)
