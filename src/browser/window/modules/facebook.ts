import { toMetaCall } from '#browser/pixelCalls.ts'
import { exceptCallsOf, loadPixel, pixelModule, withoutAdapter } from '../pixelModule.ts'

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
export default exceptCallsOf(
  'fbq',
  pixelModule(
    ({ FACEBOOK_BROWSER_PIXEL, FACEBOOK_PIXEL_ID }) => (FACEBOOK_BROWSER_PIXEL === '1' ? FACEBOOK_PIXEL_ID : undefined),
    (context, id) => {
      const pixel = findOrCreatePixel(window as object, () => {
        loadPixel(context, 'https://connect.facebook.net/en_US/fbevents.js')
      })
      pixel('set', 'autoConfig', false, id)
      pixel('dataProcessingOptions', context.variables.FACEBOOK_LDU === '1' ? ['LDU'] : [], 0, 0)
      pixel('init', id)
      return (event) => {
        const [call, name, fields] = toMetaCall(event, context.purchaseValueMode)
        pixel(call, id, name, fields, { eventID: event.eventId })
      }
    },
  ),
)
