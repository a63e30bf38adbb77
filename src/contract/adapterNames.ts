/**
 * The adapters of the browser SDK. Those of tools read the calls that a page makes to another tool, and are named like the
 * tool's global; those of banners read what the visitor answered.
 */
export const toolAdapterNames = [
  'dataLayer',
  'gtag',
  'fbq',
  'ttq',
  'pintrk',
  'snaptr',
  'rdt',
  'uetq',
  'zaraz',
  'segment',
] as const
export const bannerAdapterNames = [
  'tcf',
  'gpp',
  'cookiebot',
  'onetrust',
  'usercentrics',
  'didomi',
  'consentmanager',
  'cookieyes',
  'shopifyConsent',
  'klaro',
  'cookieConsent',
  'tarteaucitron',
  'complianz',
  'wpConsent',
  'borlabs',
  'iubenda',
  'termly',
  'cookieFirst',
] as const
export const adapterNames = [...toolAdapterNames, ...bannerAdapterNames] as const
export type AdapterName = (typeof adapterNames)[number]
