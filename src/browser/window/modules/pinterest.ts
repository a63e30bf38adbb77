import { pinterestCall } from '../../adPixelCalls.ts'
import { pixelFunction, pixelModule } from '../pixelModule.ts'

/** Pinterest's tag in addition to the server's channel, if PINTEREST_TAG_ID is set. Events have the server's id. */
export default pixelModule(
  ({ PINTEREST_TAG_ID }) => PINTEREST_TAG_ID,
  (context, id) => {
    const call = pixelFunction(context, {
      name: 'pintrk',
      url: 'https://s.pinimg.com/ct/core.js',
      queue: 'queue',
      version: '3.0',
    })
    call('load', id)
    return (event) => {
      const args = pinterestCall(event, context.purchaseValueMode)
      if (args) call('track', ...args)
    }
  },
)
