import { exampleLike, type ProviderExample } from '#provider/form/example.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const secrets = { UNIVERSAL_ADS_PIXEL_ID: '0f6c8f6e-0000-4000-8000-000000000000', UNIVERSAL_ADS_ACCESS_TOKEN: 'public' }
const example = exampleLike({ secrets })

export const examples: readonly ProviderExample[] = Object.keys(standardEventNames).map((eventName) =>
  example(`${eventName} is sent by the pixel in the page, if at all`, {
    event: { eventName },
    sends: { skipped: 'eventNotSupported' },
  }),
)
