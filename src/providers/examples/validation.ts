import type { ProviderExample } from '#provider/form/example.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

export const examples: readonly ProviderExample[] = [...Object.keys(standardEventNames), 'Quiz finished'].map(
  (eventName) => ({
    title: `${eventName} is not sent`,
    event: { eventName },
    secrets: {},
    sends: [],
  }),
)
