import { pinterestCall } from '../../pixelCalls.ts'
import { pixelFunction, pixelModule } from '../pixelModule.ts'

/** Pinterest's tag beside the server's channel, where PINTEREST_TAG_ID is set. Events have the server's id. */
export default pixelModule(
  ({ PINTEREST_TAG_ID }) => PINTEREST_TAG_ID,
  (on, id) => {
    const call = pixelFunction(on, {
      name: 'pintrk',
      url: 'https://s.pinimg.com/ct/core.js',
      queue: 'queue',
      version: '3.0',
    })
    call('load', id)
    return (event) => {
      const known = pinterestCall(event, on.purchaseValueMode)
      if (known) call('track', ...known)
    }
  },
)
