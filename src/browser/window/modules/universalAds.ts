import { maySharePersonalData } from '#browser/personalDataSharing.ts'
import { toConversion } from '#browser/universalAdsConversion.ts'
import type { TagEvent } from '#contract/event.ts'
import type { BrowserModule } from '../../modules.ts'

/** The vendor's pixel, as its script adds it to the page. */
type PubSuite = { startWithConfig(config: object): void; sendConversion(type: string, fields: object): void }

const pixelUrl = 'https://connect.universalads.com/uap.js'

/** Universal Ads only has a channel in the page: its pixel is loaded and gets each event that it supports. */
const universalAds: BrowserModule = {
  start({ variables, purchaseValueMode, load, userId, consent }) {
    const { UNIVERSAL_ADS_PIXEL_ID: product_id, UNIVERSAL_ADS_ACCESS_TOKEN: access_token } = variables
    let pixel: Promise<PubSuite> | undefined
    const open = () =>
      load(pixelUrl).then(() => {
        const { pubSuite } = window as unknown as { pubSuite: PubSuite }
        const collected = { install_id_enabled: true, pers_tr: true, collect_page_info: true, collect_ga: true }
        pubSuite.startWithConfig({ general: { ...collected, product_id, access_token } })
        return pubSuite
      })
    return (body) => {
      if (!maySharePersonalData(consent())) return
      const event = body as unknown as TagEvent
      pixel ??= open()
      const sent = pixel.then((pubSuite) => {
        const conversion = toConversion(event, purchaseValueMode, userId())
        if (conversion) pubSuite.sendConversion(...conversion)
      })
      // a blocker may prevent the pixel, and the edge refuses invalid event data
      sent.catch(() => undefined)
    }
  },
}

export default universalAds
