import type { TagEvent } from '#contract/event.ts'
import type { Module } from '../../modules.ts'
import { tiktokCall } from '../../pixel.ts'
import { shares } from '../../shares.ts'

/** A pixel of TikTok's: until its script is there, a list of the calls that wait. */
type Pixel = unknown[] & { _u?: string }
type Library = unknown[] & {
  _i?: Record<string, Pixel>
  _t?: Record<string, number>
  _o?: Record<string, object>
  instance?(code: string): { [call: string]: (...args: unknown[]) => void }
}
type Site = { ttq?: Library; TiktokAnalyticsObject?: string }

const scriptUrl = 'https://analytics.tiktok.com/i18n/pixel/events.js'

/** Makes the pixel known as TikTok's own base code does; gives the way to call it, before and after its script is there. */
function pixelOf(site: Site, code: string) {
  site.TiktokAnalyticsObject = 'ttq'
  const library = site.ttq ?? []
  site.ttq = library
  const waiting: Pixel = Object.assign([], { _u: scriptUrl })
  library._i = { ...library._i, [code]: waiting }
  library._t = { ...library._t, [code]: Date.now() }
  library._o = { ...library._o, [code]: {} }
  return (call: string, ...args: unknown[]) => {
    const pixel = site.ttq?.instance?.(code)
    if (pixel) pixel[call]?.(...args)
    else waiting.push([call, ...args])
  }
}

/** TikTok's pixel beside the server's channel, where TIKTOK_BROWSER_PIXEL asks for it. Events bear the server's id. */
const tiktok: Module = {
  start({ variables, purchaseValueMode, load, consent }) {
    const { TIKTOK_PIXEL_CODE: code, TIKTOK_BROWSER_PIXEL } = variables
    if (TIKTOK_BROWSER_PIXEL !== '1' || !code) return undefined
    let pixel: ReturnType<typeof pixelOf> | undefined
    const open = () => {
      const opened = pixelOf(window as Site, code)
      load(`${scriptUrl}?sdkid=${encodeURIComponent(code)}&lib=ttq`).catch(() => undefined) // a blocker has kept it away
      return opened
    }
    return (body) => {
      if (!shares(consent())) return
      const event = body as unknown as TagEvent
      const call = tiktokCall(event, purchaseValueMode)
      pixel ??= open()
      if (call) pixel('track', ...call, { event_id: event.eventId })
    }
  },
}

export default tiktok
