import type { TagEvent } from '#contract/event.ts'
import type { Module } from '../../modules.ts'
import { metaCall } from '../../pixel.ts'
import { shares } from '../../shares.ts'

/** The vendor's pixel. Until its script is there, calls wait in `queue`. */
type Pixel = {
  (...call: unknown[]): void
  callMethod?(...call: unknown[]): void
  queue: unknown[]
  push: unknown
  loaded: boolean
  version: string
  disablePushState: boolean
}

/** The pixel of the page, or one made as Meta's own base code makes it. */
function pixelOf(page: { fbq?: Pixel; _fbq?: Pixel }, load: () => void): Pixel {
  if (page.fbq) return page.fbq
  const pixel: Pixel = Object.assign(
    (...call: unknown[]) => void (pixel.callMethod ? pixel.callMethod(...call) : pixel.queue.push(call)),
    // what the visitor does is told by the tag alone: the pixel finds no page view of its own
    { queue: [], push: undefined, loaded: true, version: '2.0', disablePushState: true },
  )
  pixel.push = pixel
  page.fbq = pixel
  page._fbq ??= pixel
  load()
  return pixel
}

/** Meta's pixel beside the server's channel, where FACEBOOK_BROWSER_PIXEL asks for it. Events bear the server's id. */
const facebook: Module = {
  start({ variables, purchaseValueMode, load, consent }) {
    const { FACEBOOK_PIXEL_ID: id, FACEBOOK_LDU, FACEBOOK_BROWSER_PIXEL } = variables
    if (FACEBOOK_BROWSER_PIXEL !== '1') return undefined
    let pixel: Pixel | undefined
    const open = () => {
      const opened = pixelOf(window as object, () => {
        load('https://connect.facebook.net/en_US/fbevents.js').catch(() => undefined) // a blocker has kept it away
      })
      opened('set', 'autoConfig', false, id)
      opened('dataProcessingOptions', FACEBOOK_LDU === '1' ? ['LDU'] : [], 0, 0)
      opened('init', id)
      return opened
    }
    return (body) => {
      if (!shares(consent())) return
      const event = body as unknown as TagEvent
      pixel ??= open()
      const [call, name, known] = metaCall(event, purchaseValueMode)
      pixel(call, id, name, known, { eventID: event.eventId })
    }
  },
}

export default facebook
