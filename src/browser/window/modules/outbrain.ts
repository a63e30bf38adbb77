import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import type { BrowserModule } from '../../modules.ts'
import { loadPixel } from '../pixelModule.ts'

/** The vendor's pixel. Before its script is loaded, calls wait in `queue`. */
type Pixel = {
  (...call: unknown[]): void
  dispatch?(...call: unknown[]): void
  queue: unknown[]
  version: string
  loaded: boolean
  marketerId: string
}

const scriptUrl = 'https://amplify.outbrain.com/cp/obtp.js'

/** The pixel of the page, or a new one as created by Outbrain's base code. */
function findOrCreatePixel(page: { obApi?: Pixel }, marketerId: string, load: () => void): Pixel {
  if (page.obApi) return page.obApi
  const pixel: Pixel = Object.assign(
    (...call: unknown[]) => void (pixel.dispatch ? pixel.dispatch(...call) : pixel.queue.push(call)),
    { queue: [], version: '1.1', loaded: true, marketerId },
  )
  page.obApi = pixel
  load()
  return pixel
}

/**
 * Outbrain's pixel in addition to the server's channel, if OUTBRAIN_MARKETER_ID is set. It only gets page views, because
 * Outbrain has no event id to deduplicate conversions that both send.
 */
const outbrain: BrowserModule = {
  start(context) {
    const { OUTBRAIN_MARKETER_ID: marketerId } = context.variables
    if (!marketerId) return undefined
    return ({ eventName }) => {
      if (eventName !== 'PageView' || !maySharePersonalData(context.consent())) return
      const pixel = findOrCreatePixel(window as object, marketerId, () => {
        loadPixel(context, scriptUrl)
      })
      pixel('track', 'PAGE_VIEW')
    }
  },
}

export default outbrain
