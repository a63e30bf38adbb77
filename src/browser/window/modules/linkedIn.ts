import { linkedInFields } from '../../adPixelCalls.ts'
import { mappingIn, pixelFunction, pixelModule } from '../pixelModule.ts'

type Site = { _linkedin_partner_id?: string; _linkedin_data_partner_ids?: string[] }

/**
 * LinkedIn's Insight Tag in addition to the server's channel, if LINKEDIN_PARTNER_ID is set. Events have the server's
 * id.
 */
export default pixelModule(
  ({ LINKEDIN_PARTNER_ID }) => LINKEDIN_PARTNER_ID,
  (context, id) => {
    const site = window as Site
    site._linkedin_partner_id ??= id
    site._linkedin_data_partner_ids = [...(site._linkedin_data_partner_ids ?? []), id]
    const url = 'https://snap.licdn.com/li.lms-analytics/insight.min.js'
    const call = pixelFunction(context, { name: 'lintrk', url, queue: 'q' })
    const rules = mappingIn(context.variables.LINKEDIN_BROWSER_EVENTS)
    return (event) => {
      const fields = linkedInFields(event, context.purchaseValueMode, rules)
      if (fields) call('track', fields)
    }
  },
)
