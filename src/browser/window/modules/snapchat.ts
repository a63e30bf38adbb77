import { snapchatCall } from '../../adPixelCalls.ts'
import { pixelFunction, pixelModule } from '../pixelModule.ts'

/**
 * Snapchat's pixel in addition to the server's channel, if SNAPCHAT_BROWSER_PIXEL is 1. Events have the server's id.
 */
export default pixelModule(
  ({ SNAPCHAT_BROWSER_PIXEL, SNAPCHAT_PIXEL_ID }) => (SNAPCHAT_BROWSER_PIXEL === '1' ? SNAPCHAT_PIXEL_ID : undefined),
  (context, id) => {
    const url = 'https://sc-static.net/scevent.min.js'
    const call = pixelFunction(context, { name: 'snaptr', url, queue: 'queue', handler: 'handleRequest' })
    call('init', id)
    return (event) => {
      const args = snapchatCall(event, context.purchaseValueMode)
      if (args) call('track', ...args)
    }
  },
)
