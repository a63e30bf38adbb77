import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import { toMetaCall } from '#browser/pixelCalls.ts'
import type { TagEvent } from '#contract/event.ts'
import type { BrowserModule } from '../../modules.ts'
import { isCalledByPage, withoutAdapter } from '../pixelModule.ts'

/** The vendor's pixel. Before its script is loaded, calls wait in `queue`. */
type FacebookPixel = {
  (...call: unknown[]): void
  callMethod?(...call: unknown[]): void
  queue: unknown[]
  push: unknown
  loaded: boolean
  version: string
  disablePushState: boolean
}

/** The pixel of the page, or a new one as created by Meta's base code. */
function findOrCreatePixel(page: { fbq?: FacebookPixel; _fbq?: FacebookPixel }, load: () => void): FacebookPixel {
  if (page.fbq) return withoutAdapter(page.fbq)
  const pixel: FacebookPixel = Object.assign(
    (...call: unknown[]) => void (pixel.callMethod ? pixel.callMethod(...call) : pixel.queue.push(call)),
    // only the tag sends events, so the pixel must not detect page views
    { queue: [], push: undefined, loaded: true, version: '2.0', disablePushState: true },
  )
  pixel.push = pixel
  page.fbq = pixel
  page._fbq ??= pixel
  load()
  return pixel
}

/** Meta's pixel in addition to the server's channel, if FACEBOOK_BROWSER_PIXEL is 1. Events have the server's id. */
const facebook: BrowserModule = {
  start({ variables, purchaseValueMode, load, consent }) {
    const { FACEBOOK_PIXEL_ID: id, FACEBOOK_LDU, FACEBOOK_BROWSER_PIXEL } = variables
    if (FACEBOOK_BROWSER_PIXEL !== '1') return undefined
    let pixel: FacebookPixel | undefined
    const open = () => {
      const opened = findOrCreatePixel(window as object, () => {
        load('https://connect.facebook.net/en_US/fbevents.js').catch(() => undefined) // a blocker may prevent it
      })
      opened('set', 'autoConfig', false, id)
      opened('dataProcessingOptions', FACEBOOK_LDU === '1' ? ['LDU'] : [], 0, 0)
      opened('init', id)
      return opened
    }
    return (body) => {
      if (isCalledByPage(body, 'fbq') || !maySharePersonalData(consent())) return
      const event = body as unknown as TagEvent
      pixel ??= open()
      const [call, name, fields] = toMetaCall(event, purchaseValueMode)
      pixel(call, id, name, fields, { eventID: event.eventId })
    }
  },
}

export default facebook
