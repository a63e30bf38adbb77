import { issuesOf } from '#provider/issues.ts'
import { ownNames, provider } from '#provider/provider.ts'

export default provider({
  label: 'Validation',
  stage: 'beta',
  consent: ['necessary', 'functional', 'analytics', 'advertising'],
  docs: 'https://json-schema.org',
  host: 'fixed',
  hidePurchaseValueMode: true,
  isSingleton: true,

  secrets: {},
  events: ownNames,
  custom: (eventName) => eventName,
  user: {},
  dedup: 'none: nothing is sent',
  records: issuesOf,
  request: () => [],

  examples: [...Object.keys(ownNames), 'Quiz finished'].map((eventName) => ({
    title: `${eventName} goes nowhere`,
    event: { eventName },
    secrets: {},
    sends: [],
  })),
})
