import { snapchatCall } from '../../pixelCalls.ts'
import { pixelFunction, pixelModule } from '../pixelModule.ts'

/** Snapchat's pixel beside the server's channel, where SNAPCHAT_BROWSER_PIXEL is 1. Events have the server's id. */
export default pixelModule(
  ({ SNAPCHAT_BROWSER_PIXEL, SNAPCHAT_PIXEL_ID }) => (SNAPCHAT_BROWSER_PIXEL === '1' ? SNAPCHAT_PIXEL_ID : undefined),
  (on, id) => {
    const url = 'https://sc-static.net/scevent.min.js'
    const call = pixelFunction(on, { name: 'snaptr', url, queue: 'queue', handler: 'handleRequest' })
    call('init', id)
    return (event) => {
      const known = snapchatCall(event, on.purchaseValueMode)
      if (known) call('track', ...known)
    }
  },
)
