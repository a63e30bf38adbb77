import type { Module } from '../../modules.ts'
import { shares } from '../../shares.ts'

/** The vendor's pixel. Until its script is there, calls wait in `queue`. */
type Pixel = {
  (...call: unknown[]): void
  dispatch?(...call: unknown[]): void
  queue: unknown[]
  version: string
  loaded: boolean
  marketerId: string
}

const scriptUrl = 'https://amplify.outbrain.com/cp/obtp.js'

/** The pixel of the page, or one made as Outbrain's own base code makes it. */
function pixelOf(page: { obApi?: Pixel }, marketerId: string, load: () => void): Pixel {
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
 * Outbrain's pixel beside the server's channel, where OUTBRAIN_MARKETER_ID is set. It is told of page views only: Outbrain
 * has no event id by which it could remove a conversion that both report.
 */
const outbrain: Module = {
  start({ variables, load, consent }) {
    const { OUTBRAIN_MARKETER_ID: marketerId } = variables
    if (!marketerId) return undefined
    return ({ eventName }) => {
      if (eventName !== 'PageView' || !shares(consent())) return
      const pixel = pixelOf(window as object, marketerId, () => {
        load(scriptUrl).catch(() => undefined) // a blocker has kept it away
      })
      pixel('track', 'PAGE_VIEW')
    }
  },
}

export default outbrain
