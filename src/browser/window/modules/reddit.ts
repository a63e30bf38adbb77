import { redditCall } from '../../adPixelCalls.ts'
import { pixelFunction, pixelModule } from '../pixelModule.ts'

/** Reddit's pixel in addition to the server's channel, if REDDIT_BROWSER_PIXEL is 1. Events have the server's id. */
export default pixelModule(
  ({ REDDIT_BROWSER_PIXEL, REDDIT_PIXEL_ID }) => (REDDIT_BROWSER_PIXEL === '1' ? REDDIT_PIXEL_ID : undefined),
  (context, id) => {
    const url = 'https://www.redditstatic.com/ads/pixel.js'
    const call = pixelFunction(context, { name: 'rdt', url, queue: 'callQueue', handler: 'sendEvent' })
    // without useDecimalCurrencyValues, Reddit reads a value as minor units
    call('init', id, { optOut: false, useDecimalCurrencyValues: true })
    return (event) => {
      const args = redditCall(event, context.purchaseValueMode)
      if (args) call('track', ...args)
    }
  },
)
