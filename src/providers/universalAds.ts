import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { identifier, text } from '#provider/form/variables.ts'

const secrets = { UNIVERSAL_ADS_PIXEL_ID: '0f6c8f6e-0000-4000-8000-000000000000', UNIVERSAL_ADS_ACCESS_TOKEN: 'public' }

/** The vendor documents no way to tell it of events from a server: its pixel is told of them in the page. */
export default provider({
  label: 'Universal Ads',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.universalads.com/',
  dashboardUrl: 'https://www.universalads.com/',
  links: { onboarding: 'https://github.com/Universal-Ads/universal-ads-pixel-gtm' },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    UNIVERSAL_ADS_PIXEL_ID: identifier(
      'Pixel ID',
      'Of your pixel, 36 characters: it stands in its code as product_id.',
      {
        placeholder: secrets.UNIVERSAL_ADS_PIXEL_ID,
        usedBy: 'browser',
      },
    ),
    UNIVERSAL_ADS_ACCESS_TOKEN: text(
      'Access token',
      'Of your pixel: it stands in its code as access_token. It is public: every page that loads the pixel shows it.',
      { usedBy: 'browser' },
    ),
  },

  events: {},
  user: {},
  dedup: 'none: the pixel takes no id of an event',
  request: () => [],

  examples: Object.keys(standardEventNames).map((eventName) => ({
    title: `${eventName} is told by the pixel in the page, if at all`,
    event: { eventName },
    secrets,
    sends: { skipped: 'eventNotSupported' },
  })),
})
