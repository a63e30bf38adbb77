/**
 * The adapters of the browser SDK. Tool adapters read the page's calls to another tool and are named after the tool's
 * global. Banner adapters read the visitor's answer.
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
