/** The adapters of the browser SDK: each reads the calls that a page makes to another tool, and is named like the tool's global. */
export const adapterNames = [
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
export type AdapterName = (typeof adapterNames)[number]
