import type { TagEvent } from '#contract/event.ts'
import { conversionOf } from '../../conversion.ts'
import type { Module } from '../../modules.ts'

/** The vendor's pixel, as its script puts it into the page. */
type PubSuite = { startWithConfig(config: object): void; sendConversion(type: string, fields: object): void }

const pixelUrl = 'https://connect.universalads.com/uap.js'

/** Universal Ads has its channel in the page alone: its pixel is loaded, and each event that it knows is handed to it. */
const universalAds: Module = {
  category: 'advertising',
  start({ variables, load }) {
    const { UNIVERSAL_ADS_PIXEL_ID: product_id, UNIVERSAL_ADS_ACCESS_TOKEN: access_token } = variables
    const pixel = load(pixelUrl).then(() => {
      const { pubSuite } = window as unknown as { pubSuite: PubSuite }
      const collected = { install_id_enabled: true, pers_tr: true, collect_page_info: true, collect_ga: true }
      pubSuite.startWithConfig({ general: { ...collected, product_id, access_token } })
      return pubSuite
    })
    pixel.catch(() => undefined) // a blocker has kept it away, and all that would have been told to it
    return (event) => {
      const told = pixel.then((to) => {
        const conversion = conversionOf(event as unknown as TagEvent)
        if (conversion) to.sendConversion(...conversion)
      })
      told.catch(() => undefined) // data that is none is the edge's to refuse
    }
  },
}

export default universalAds
