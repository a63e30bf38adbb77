import { provider } from '#provider/form/provider.ts'
import { identifier, text } from '#provider/form/variables.ts'

/** The vendor documents no server API: its pixel in the page sends the events. */
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
    UNIVERSAL_ADS_PIXEL_ID: identifier('Pixel ID', '36 characters: product_id in the code of your pixel.', {
      placeholder: '0f6c8f6e-0000-4000-8000-000000000000',
      usedBy: 'browser',
    }),
    UNIVERSAL_ADS_ACCESS_TOKEN: text(
      'Access token',
      'access_token in the code of your pixel. It is public: every page that loads the pixel shows it.',
      { usedBy: 'browser' },
    ),
  },

  events: {},
  user: {},
  personId: 'none',
  dedup: 'none: the pixel has no field for an event id',
  request: () => [],
})
